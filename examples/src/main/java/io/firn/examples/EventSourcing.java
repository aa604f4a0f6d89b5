package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.UnexpectedOffsetException;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.file.Path;

/**
 * Event sourcing: the balance of an account is the sum of the changes in its log. To change it, a
 * user reads, decides, and appends only if nobody else has appended meanwhile; otherwise it reads
 * the new changes and decides again.
 */
public final class EventSourcing {

    /** One user's view of the account. */
    private static final class Account implements AutoCloseable {
        private final Partition log;
        private final Tailer tailer;
        private final Appender appender;
        private long balance;

        Account(Partition log) {
            this.log = log;
            this.tailer = log.openTailer();
            this.appender = log.openAppender();
        }

        void refresh() {
            refreshTo(log.durableOffset());
        }

        /**
         * Reads up to an offset, after waiting until everything below it is durable, hence visible.
         */
        void refreshTo(long end) {
            if (tailer.offset() < end) {
                appender.awaitDurable(end - 1);
            }
            while (tailer.offset() < end) {
                tailer.poll(
                        change -> {
                            balance += Long.parseLong(UTF_8.decode(change.value()).toString());
                            return Action.CONTINUE;
                        },
                        1_000);
            }
        }

        /** Appends a change, or throws if this user has not read all earlier changes. */
        long change(long amount) {
            byte[] value = Long.toString(amount).getBytes(UTF_8);
            Batch batch = appender.newBatch().add(value).expectedOffset(tailer.offset());
            return appender.append(batch);
        }

        @Override
        public void close() {
            tailer.close();
            appender.close();
        }
    }

    private EventSourcing() {}

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args) {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) {
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            Topic topic = store.ensureTopic("account", TopicOptions.defaults());
            run(topic.partition(0), out);
        }
    }

    private static void run(Partition log, PrintStream out) {
        try (Account alice = new Account(log);
                Account bob = new Account(log)) {
            alice.refresh();
            alice.change(100);
            alice.refresh();
            bob.refresh();
            out.println("Both know of a balance of " + alice.balance + ", and both take out 80.");

            alice.change(-80);
            try {
                bob.change(-80);
            } catch (UnexpectedOffsetException e) {
                out.println("Bob is refused: " + e.getMessage());
                bob.refreshTo(e.nextOffset());
            }
            out.println("Bob looks again: there are only " + bob.balance + " left.");
        }
    }
}
