package io.firn.kill;

import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader.PartitionMetrics;
import io.firn.kill.Oracle.Violation;
import io.firn.kill.Plan.Mode;
import io.firn.kill.Report.Kind;
import io.firn.spi.StorageTier;
import java.io.DataInputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * The JVM that is killed. Its plan comes in by the standard input, its reports go out by the
 * output.
 */
final class KillChild {
    private static final int MOST_MS_BEFORE_CLOSE = 150;

    /** Until a retried batch is looked for. */
    private static final int ROLLS_BEHIND_UNHEARD = 2;

    private final Plan plan;
    private final Reporter reporter;
    private final SplittableRandom random;
    private final List<LaneWriter> writers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private LogStore store;
    private long rolls;

    private KillChild(Plan plan, Reporter reporter) {
        this.plan = plan;
        this.reporter = reporter;
        this.random = new SplittableRandom(plan.seed() - plan.round());
    }

    /** Run with the directory and the class of the {@link Ground}. */
    public static void main(String[] arguments) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, e) -> {
                    e.printStackTrace();
                    Runtime.getRuntime().halt(2);
                });
        Plan plan = Plan.read(new DataInputStream(System.in));
        try (OutputStream out = new FileOutputStream(FileDescriptor.out)) {
            Ground ground =
                    (Ground) Class.forName(arguments[1]).getDeclaredConstructor().newInstance();
            new KillChild(plan, new Reporter(out)).run(Path.of(arguments[0]), ground);
        }
    }

    private void run(Path directory, Ground ground) throws Violation {
        reporter.tell(Kind.OPENING);
        List<StorageTier> tiers = ground.tiers(directory);
        store = Lane.open(directory, tiers);
        Account.settle(store, tiers, ground);
        for (Lane lane : Lane.ALL) {
            writers.add(new LaneWriter(lane, store, plan, reporter));
        }
        reporter.tell(Kind.OPENED);
        for (LaneWriter writer : writers) {
            Thread thread = new Thread(writer);
            threads.add(thread);
            thread.start();
        }
        long closeAt = System.nanoTime() + random.nextInt(MOST_MS_BEFORE_CLOSE) * 1_000_000L;
        long rollsAtMute = -1;
        boolean ready = false;
        while (plan.mode() != Mode.CLOSING || System.nanoTime() < closeAt) {
            LockSupport.parkNanos(500_000);
            reportRolls();
            if (plan.muted() >= 0 && writers.get(plan.muted()).isMuted() && !ready) {
                long now = rollsOf(Lane.ALL.get(plan.muted()));
                if (rollsAtMute < 0) {
                    rollsAtMute = now;
                } else if (now >= rollsAtMute + ROLLS_BEHIND_UNHEARD) {
                    reporter.tell(Kind.READY);
                    ready = true;
                }
            }
            if (random.nextInt(100) == 0) {
                deleteSome();
            }
        }
        close();
    }

    private void reportRolls() {
        long now = 0;
        for (PartitionMetrics partition : store.metrics().partitions()) {
            now += partition.rolls();
        }
        if (now > rolls) {
            reporter.rolled(now - rolls);
            rolls = now;
        }
    }

    private long rollsOf(Lane lane) {
        for (PartitionMetrics partition : store.metrics().partitions()) {
            if (partition.topic().equals(lane.topic())
                    && partition.partition() == lane.partition()) {
                return partition.rolls();
            }
        }
        return 0;
    }

    /** Keeps the log small, and the log start moving. */
    private void deleteSome() {
        Lane lane = Lane.ALL.get(random.nextInt(Lane.ALL.size()));
        if (lane.topic().equals(Lane.SHORT)) {
            return;
        }
        Partition partition = lane.openTopic(store).partition(lane.partition());
        long durable = partition.durableOffset();
        long start = partition.logStartOffset();
        long before = start + (long) ((durable - start) * random.nextDouble());
        reporter.deleting(lane, before);
        reporter.deleted(lane, partition.deleteRecordsBefore(before));
    }

    private void close() {
        boolean quiet = random.nextBoolean();
        if (quiet) {
            stopWriters();
        }
        reporter.tell(Kind.CLOSING);
        store.close();
        reporter.tell(Kind.CLOSED);
        stopWriters();
    }

    private void stopWriters() {
        writers.forEach(LaneWriter::stop);
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts this thread", e);
            }
        }
    }
}
