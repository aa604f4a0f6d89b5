package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.RecordHandler.Action;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TailerLoop;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;

/** The ways to read: poll, copies, from another place, and a loop that runs until it is stopped. */
public final class Reading {
    private static final int RECORDS = 6;

    private Reading() {}

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args) throws InterruptedException {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) throws InterruptedException {
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            Topic topic = store.createTopic("depths", TopicOptions.defaults());
            try (Appender appender = topic.partition(0).openAppender()) {
                for (int i = 0; i < RECORDS; i++) {
                    appender.append((i * 10 + " m").getBytes(UTF_8));
                }
            }
            poll(topic, out);
            copies(topic, out);
            loop(topic, out);
        }
    }

    private static void poll(Topic topic, PrintStream out) {
        try (Tailer tailer = topic.openTailer()) { // at the earliest record of each partition
            int read =
                    tailer.poll(
                            record -> {
                                out.println(record.offset() + ": " + text(record));
                                return record.offset() < 1 ? Action.CONTINUE : Action.STOP;
                            },
                            100, // at most
                            Duration.ofSeconds(1)); // waits for the first record
            out.println("Handled " + read + ", next offset " + tailer.offset());
        }
    }

    private static void copies(Topic topic, PrintStream out) {
        try (Tailer tailer = topic.openTailer()) {
            tailer.seek(4);
            for (StoredRecord record : tailer) { // up to the end of the log
                out.println("Copy: " + new String(record.value(), UTF_8));
            }
            Iterator<StoredRecord> backwards = tailer.backwards();
            out.println("The last one: " + backwards.next().offset());
        }
    }

    private static void loop(Topic topic, PrintStream out) throws InterruptedException {
        Tailer tailer = topic.openTailer();
        TailerLoop loop = TailerLoop.of(tailer).onError(error -> Action.RETRY); // after a pause
        Thread reader = new Thread(() -> loop.run(record -> sound(record, out)));
        reader.start();
        loop.awaitEnd(Duration.ofMinutes(1));
        loop.stop(); // after the record in hand
        loop.awaitEnd(Duration.ofSeconds(10));
        reader.join();
        tailer.close();
    }

    private static Action sound(LogRecord record, PrintStream out) {
        if (record.offset() == RECORDS - 1) {
            out.println("The loop has read all.");
            return Action.STOP;
        }
        return Action.CONTINUE;
    }

    private static String text(LogRecord record) {
        return UTF_8.decode(record.value()).toString();
    }
}
