package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.Backup;
import io.firn.LogStore;
import io.firn.RestoreOptions;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.file.Path;

/** Makes a backup of a store that is open, verifies it, and restores it into another directory. */
public final class Backups {
    private Backups() {}

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args) {
        run(Examples.directory(args), System.out);
    }

    static void run(Path work, PrintStream out) {
        Path backup = work.resolve("backup");
        Path source = work.resolve("orders");
        try (LogStore store =
                LogStore.at(source).tier(FileTier.at(source.resolve("segments"))).open()) {
            Topic orders = store.ensureTopic("orders", TopicOptions.defaults());
            try (Appender appender = orders.partition(0).openAppender()) {
                appender.append("3 apples".getBytes(UTF_8));
                Backup made = store.backupTo(backup);
                out.println("Backed up: " + made.parts());
                appender.append("5 pears".getBytes(UTF_8));
            }
        }
        Backup whole = Backup.verify(backup);
        out.println("Verified: " + whole.bytes().total() + " bytes");
        Path dir = work.resolve("restored");
        LogStore.at(dir)
                .tier(FileTier.at(dir.resolve("segments")))
                .restore(backup, RestoreOptions.all());
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            out.println(
                    "Restored up to offset " + store.openTopic("orders").partition(0).nextOffset());
        }
    }
}
