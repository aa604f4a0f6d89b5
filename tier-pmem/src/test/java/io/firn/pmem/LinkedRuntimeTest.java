package io.firn.pmem;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A runtime that was linked without the module of synchronous mappings. */
class LinkedRuntimeTest {
    @TempDir private Path directory;

    @Test
    void shouldSayWhichModuleIsMissingAndEmulateWithoutIt() throws Exception {
        Path output = directory.resolve("output");
        Process child =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx64m",
                                "-XX:TieredStopAtLevel=1",
                                "--limit-modules",
                                "java.logging,java.management,jdk.unsupported,jdk.jfr",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Child.class.getName(),
                                directory.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        assertTrue(child.waitFor(HANGS_AFTER_S, TimeUnit.SECONDS), "it hangs");
        String said = Files.readString(output, StandardCharsets.UTF_8);
        assertEquals(0, child.exitValue(), said);
        assertTrue(said.contains("lacks the module jdk.nio.mapmode"), said);
        assertTrue(said.contains("emulated"), said);
    }

    static final class Child {
        private Child() {}

        public static void main(String[] args) {
            Path directory = Path.of(args[0]);
            PmemTier tier =
                    PmemTier.at(directory.resolve("pool"))
                            .withCapacityBytes(16 << 20)
                            .withBlockBytes(2 << 20);
            LogStoreBuilder builder = LogStore.at(directory.resolve("store"));
            try (LogStore store = builder.tier(tier).open()) {
                System.out.println("opened " + store);
            } catch (RuntimeException e) {
                for (Throwable each = e; each != null; each = each.getCause()) {
                    System.out.println(each.getMessage());
                }
            }
            builder = LogStore.at(directory.resolve("store"));
            try (LogStore store = builder.tier(tier.withEmulation(Emulation.PLAIN)).open()) {
                System.out.println("emulated " + store);
            }
        }
    }
}
