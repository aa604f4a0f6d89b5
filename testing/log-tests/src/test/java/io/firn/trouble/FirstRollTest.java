package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.firn.Appender;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a JVM does once only, it must not do on the thread of an appender. */
class FirstRollTest {
    private static final int MOST_BYTES = 20_000;

    @TempDir private Path directory;

    @Test
    void shouldNotLoadClassesOnTheAppendersThreadAtTheFirstRoll() throws Exception {
        try (Jvm child = new Jvm(Child.class, directory)) {
            List<String> lines = child.end();
            String last = lines.get(lines.size() - 1);
            assertTrue(Long.parseLong(last) < MOST_BYTES, lines::toString);
        }
    }

    /** Says how many bytes the first append that rolled has allocated. */
    static final class Child {
        private Child() {}

        public static void main(String[] args) {
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            Path directory = Path.of(args[0]);
            TopicOptions options =
                    TopicOptions.defaults()
                            .withSegmentBytes(1 << 20)
                            .withDurability(Durability.WRITTEN);
            try (LogStore store =
                    LogStore.at(directory.resolve("store"))
                            .tier(FileTier.at(directory.resolve("tier")))
                            .open()) {
                Partition partition = store.createTopic("t", options).partition(0);
                try (Appender appender = partition.openExclusiveAppender()) {
                    byte[] value = new byte[1000];
                    long before = 0;
                    while (partition.metrics().rolls() == 0) {
                        before = threads.getCurrentThreadAllocatedBytes();
                        appender.append(value);
                    }
                    // With what the look at the metrics takes.
                    System.out.println(threads.getCurrentThreadAllocatedBytes() - before);
                }
            }
        }
    }
}
