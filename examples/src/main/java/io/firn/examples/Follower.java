package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Writes a log that a second process tails. The second process opens the store read-only: it
 * acquires no lock, changes nothing, and sees records as soon as they are durable (on Linux;
 * elsewhere at most a mark interval later).
 */
public final class Follower {
    private static final String LAST = "the end";

    private Follower() {}

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args) throws IOException, InterruptedException {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) throws IOException, InterruptedException {
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            Topic news = store.createTopic("news", TopicOptions.defaults());
            Process follower = startFollower(dir);
            try (Appender appender = news.partition(0).openAppender()) {
                appender.append("first snow".getBytes(UTF_8));
                appender.append("more snow".getBytes(UTF_8));
                appender.append(LAST.getBytes(UTF_8));
            }
            follower.getInputStream().transferTo(out);
            out.println("The follower ended with " + follower.waitFor() + ".");
        }
    }

    private static Process startFollower(Path dir) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Reader.class.getName(),
                        dir.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** The program of the second process. */
    static final class Reader {
        private Reader() {}

        public static void main(String[] args) {
            Path dir = Path.of(args[0]);
            FileTier tier = FileTier.at(dir.resolve("segments"));
            try (LogReader store = LogStore.at(dir).tier(tier).openReadOnly();
                    Tailer tailer = store.openTopic("news").openTailer()) {
                boolean[] ended = {false};
                while (!ended[0]) {
                    tailer.poll(
                            record -> {
                                String text = UTF_8.decode(record.value()).toString();
                                System.out.println("The follower reads: " + text);
                                ended[0] = text.equals(LAST);
                                return Action.CONTINUE;
                            },
                            10,
                            Duration.ofSeconds(1));
                }
            }
        }
    }
}
