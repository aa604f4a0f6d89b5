package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.LogStore.MoveOutcome;
import io.firn.RecordHandler.Action;
import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.migrator.MigrationPolicy;
import io.firn.migrator.Migrator;
import io.firn.migrator.Move;
import io.firn.migrator.MovePlan;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/**
 * Uses two tiers and a migration policy of its own. A policy is a pure function from a snapshot to
 * a list of moves. This one keeps the newest sealed segment of each audit topic in the hot tier and
 * moves its older segments to the cold tier; other topics stay where they are.
 */
public final class Tiers {
    private static final String HOT = "hot";
    private static final String COLD = "cold";
    private static final int LINE_BYTES = 10_000;

    private Tiers() {}

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args) throws InterruptedException {
        run(Examples.directory(args), System.out);
    }

    /** The policy. It uses no disk, clock or state, so a test can call it with any snapshot. */
    static List<Move> auditGoesDown(StoreSnapshot snapshot) {
        MovePlan plan = MovePlan.of(snapshot);
        for (var candidate : plan.candidatesIn(HOT)) {
            List<SegmentPlace> all = candidate.partition().segments();
            // The last segment is active; the one before it is the newest sealed one.
            boolean isNewest = all.indexOf(candidate.segment()) >= all.size() - 2;
            if (candidate.partition().topic().startsWith("audit-") && !isNewest) {
                plan.add(candidate, COLD);
            }
        }
        return plan.moves();
    }

    static void run(Path dir, PrintStream out) throws InterruptedException {
        MigrationPolicy policy = Tiers::auditGoesDown;
        try (LogStore store =
                        LogStore.at(dir)
                                .tier(HOT, FileTier.at(dir.resolve("hot")))
                                .tier(COLD, FileTier.at(dir.resolve("cold")))
                                .open();
                Migrator migrator = Migrator.of(store).policy(policy).start()) {
            TopicOptions small = TopicOptions.defaults().withSegmentBytes(64 * 1024);
            Topic audit = store.createTopic("audit-2026", small);
            fill(audit);
            fill(store.createTopic("orders", small));
            while (migrator.status().movedDown() < 2) {
                Thread.sleep(10);
            }
            out.println("audit-2026 is in " + tiers(store, "audit-2026"));
            out.println("orders is in " + tiers(store, "orders"));
            try (Tailer tailer = audit.openTailer()) { // reads from both tiers
                int n = tailer.poll(record -> Action.CONTINUE, 1_000);
                out.println("Read " + n + " records of audit-2026.");
            }
            MoveOutcome outcome;
            do {
                outcome = store.migrate("orders", 0, 0, COLD); // without the migrator
            } while (outcome == MoveOutcome.NOT_SEALED);
            out.println("The first segment of orders: " + outcome);
            out.println("orders is in " + tiers(store, "orders"));
        }
    }

    /** Appends three full segments and one record in the fourth. */
    private static void fill(Topic topic) {
        byte[] line = "x".repeat(LINE_BYTES).getBytes(UTF_8);
        try (Appender appender = topic.partition(0).openAppender()) {
            for (int i = 0; i < 3 * 6 + 1; i++) {
                appender.append(line);
            }
        }
    }

    private static List<String> tiers(LogStore store, String topic) {
        StoreSnapshot snapshot = store.snapshot();
        return snapshot.partitions().stream()
                .filter(partition -> partition.topic().equals(topic))
                .flatMap(partition -> partition.segments().stream())
                .map(SegmentPlace::tier)
                .toList();
    }
}
