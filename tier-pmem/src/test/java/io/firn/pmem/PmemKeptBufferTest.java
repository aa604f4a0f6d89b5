package io.firn.pmem;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.firn.Claim;
import io.firn.ExclusiveAppender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TopicOptions;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** As KeptBufferTest of the file tier: buffers that a user kept, and a pool that is closed. */
class PmemKeptBufferTest {
    @TempDir private Path directory;

    @ParameterizedTest
    @EnumSource(Provider.class)
    void shouldOutliveBuffersThatWereKeptWhenThePoolIsClosed(Provider provider) throws Exception {
        assumeTrue(ProviderTest.whyNot(provider) == null, ProviderTest.whyNot(provider));
        assumeTrue(Files.isDirectory(Path.of("/dev/shm")) || provider == Provider.JDK);
        Path output = directory.resolve("output");
        Process child =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx128m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Child.class.getName(),
                                directory.toString(),
                                provider.name())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        assertTrue(child.waitFor(HANGS_AFTER_S, TimeUnit.SECONDS), "it hangs");
        String said = Files.readString(output, StandardCharsets.UTF_8);
        assumeTrue(!said.contains("not available"), said);
        assertEquals(0, child.exitValue(), said);
        assertTrue(said.contains("kept, and alive"), said);
    }

    /** Keeps what it must not keep. */
    static final class Child {
        private static final List<ByteBuffer> KEPT = new ArrayList<>();

        private Child() {}

        public static void main(String[] args) throws Exception {
            Path directory = Path.of(args[0]);
            LogStore store;
            try {
                store =
                        LogStore.at(directory.resolve("store"))
                                .tier(
                                        PmemTier.at(directory.resolve("pool"))
                                                .withCapacityBytes(32 << 20)
                                                .withBlockBytes(2 << 20)
                                                .withEmulation(Emulation.PLAIN)
                                                .withProvider(Provider.valueOf(args[1])))
                                .open();
            } catch (RuntimeException e) {
                System.out.println("not available: " + e);
                return;
            }
            Partition partition = store.createTopic("t", TopicOptions.defaults()).partition(0);
            byte[] value = new byte[500_000];
            try (ExclusiveAppender appender = partition.openExclusiveAppender();
                    Tailer tailer = partition.openTailer()) {
                for (int i = 0; i < 10; i++) {
                    appender.append(value);
                    tailer.poll(
                            record -> {
                                KEPT.add(record.value());
                                KEPT.add(record.value().slice());
                                return Action.CONTINUE;
                            },
                            1);
                }
                Claim claim = appender.tryClaim(100);
                KEPT.add(claim.buffer());
                claim.commit();
            }
            partition.deleteRecordsBefore(partition.durableOffset());
            while (partition.metrics().segments() > 1) {
                Thread.sleep(1);
            }
            touch();
            store.close();
            touch();
            System.out.println("kept, and alive");
        }

        private static void touch() {
            int sum = 0;
            for (ByteBuffer kept : KEPT) {
                try {
                    for (int i = 0; i < kept.limit(); i++) {
                        sum += kept.get(i);
                    }
                } catch (IllegalStateException e) {
                    sum++; // unmapped, on Java 22 and later
                }
            }
            System.out.println("touched " + sum);
        }
    }
}
