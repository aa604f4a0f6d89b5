package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.nio.file.Path;

/** The first example of the README: opens a log, appends a record, and reads. */
public final class FirstScreen {
    private FirstScreen() {}

    /** Appends a record and prints the whole log; the directory is the only argument. */
    public static void main(String[] args) {
        Path dir = Path.of(args.length > 0 ? args[0] : "orders-log");
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            Topic topic = store.ensureTopic("orders", TopicOptions.defaults());
            try (Appender appender = topic.partition(0).openAppender()) {
                appender.append("first".getBytes(UTF_8)); // durable when it returns
            }
            try (Tailer tailer = topic.openTailer()) {
                tailer.forEach(record -> System.out.println(UTF_8.decode(record.value())), 10);
            }
        }
    }
}
