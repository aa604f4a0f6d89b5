package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.LogStore;
import io.firn.RecordId;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicAppender;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/**
 * Appends to a topic with several partitions. Records with the same key go to the same partition
 * and stay in order. The partition is the one that Kafka's Java producer would choose.
 */
public final class MultiPartition {
    private MultiPartition() {}

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args) {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) {
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            // Each partition reserves a segment, so small segments save space here.
            Topic topic =
                    store.createTopic(
                            "tracks",
                            TopicOptions.defaults().withPartitions(3).withSegmentBytes(4 << 20));
            try (TopicAppender appender = topic.openAppender()) {
                for (int step = 1; step <= 2; step++) {
                    for (String ship : List.of("Fram", "Gauss", "Endurance")) {
                        RecordId id =
                                appender.append(
                                        ship.getBytes(UTF_8), ("step " + step).getBytes(UTF_8));
                        out.println(ship + " went to partition " + id.partition());
                    }
                }
            }
            try (Tailer tailer = topic.openTailer()) { // over all partitions
                tailer.forEach(
                        record ->
                                out.println(
                                        "Read from partition "
                                                + record.partition()
                                                + ": "
                                                + UTF_8.decode(record.key())
                                                + ", "
                                                + UTF_8.decode(record.value())),
                        100);
            }
        }
    }
}
