package io.firn.kill;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PoisonedException;
import io.firn.StoreLockedException;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.nio.file.Path;

/**
 * Appends to a store and says what was acknowledged, one value a line, until it is killed or finds
 * that the store is not its own any more.
 */
final class LockChild {
    static final String OPENED = "opened";
    static final String REFUSED = "refused";
    static final String LOST = "lost";
    private static final String TOPIC = "values";
    private static final TopicOptions SMALL = TopicOptions.defaults().withSegmentBytes(64 * 1024);

    /** Five hundred to a segment. */
    private static final String FILLING = " ".repeat(60);

    private LockChild() {}

    /** With the directory, and a name that no other child has. */
    public static void main(String[] arguments) {
        try (LogStore store = open(Path.of(arguments[0]))) {
            System.out.println(OPENED);
            appendUntilLost(partition(store), arguments[1]);
        } catch (StoreLockedException e) {
            System.out.println(REFUSED + " " + e.getMessage());
        }
    }

    private static void appendUntilLost(Partition partition, String name) {
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; ; i++) {
                String value = name + "-" + i;
                appender.append((value + FILLING).getBytes(UTF_8));
                System.out.println(value);
            }
        } catch (PoisonedException e) {
            System.out.println(LOST + " " + e.getMessage());
        }
    }

    static LogStore open(Path directory) {
        return LogStore.at(directory.resolve("store"))
                .tier(FileTier.at(directory.resolve("segments")))
                .open();
    }

    static Partition partition(LogStore store) {
        return store.ensureTopic(TOPIC, SMALL).partition(0);
    }
}
