package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A process whose limit of open files is too low for its partitions is warned in advance. */
@EnabledOnOs(OS.LINUX)
class DescriptorWarningTest {
    @TempDir Path directory;

    @Test
    void shouldWarnWhenATopicIsCreatedAndWhenTheStoreIsOpened() throws Exception {
        List<String> lines = warnings(150);
        assertEquals(2, lines.size(), lines::toString);
        for (String line : lines) {
            assertTrue(line.contains("150 partitions"), line);
            assertTrue(line.contains("may have 300 files"), line);
            assertTrue(line.contains("Raise the limit to 500"), line);
        }
    }

    @Test
    void shouldNotWarnWhenThereAreEnough() throws Exception {
        assertEquals(List.of(), warnings(50));
    }

    private List<String> warnings(int partitions) throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process =
                new ProcessBuilder(
                                "sh",
                                "-c",
                                "ulimit -n 300 && exec \"$@\"",
                                "sh",
                                java,
                                "-Xmx256m",
                                "-XX:+UseSerialGC",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Child.class.getName(),
                                directory.toString(),
                                Integer.toString(partitions))
                        .redirectErrorStream(true)
                        .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), out);
        return out.lines().filter(line -> line.contains("ulimit -n")).toList();
    }

    /** Creates a topic, and opens the store again. */
    static final class Child {
        private Child() {}

        public static void main(String[] args) {
            Path directory = Path.of(args[0]);
            int partitions = Integer.parseInt(args[1]);
            try (LogStore store = open(directory)) {
                store.createTopic("t", TopicOptions.defaults().withPartitions(partitions));
            }
            open(directory).close();
        }

        private static LogStore open(Path directory) {
            return LogStore.at(directory.resolve("store"))
                    .tier(FileTier.at(directory.resolve("tier")))
                    .open();
        }
    }
}
