package io.firn.crashlab;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.StoreFullException;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Verdict;
import io.firn.crashlab.Promises.Violation;
import io.firn.file.FileTier;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import io.firn.pmem.SimulatedPmem;
import io.firn.sim.SimulatedFileMedium;
import io.firn.spi.StorageTier;
import io.firn.store.StoreBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.CachedEpochClock;

/** What a random workload hardly comes to: each is short, and ends at the first error. */
enum Situation {
    /** A pool grows. */
    GROWTH(true) {
        @Override
        void live(Stay stay) {
            stay.during(pool(stay, 2), each -> each.append(8));
            stay.during(pool(stay, 5), each -> each.append(20));
        }
    },

    /** A pool that uses the whole file system, in files that are mapped and forced. */
    WHOLE_FILE_SYSTEM(false) {
        @Override
        void live(Stay stay) {
            stay.medium.faults().limitBytes(ROOM);
            stay.during(emulated(stay), each -> each.append(6));
            stay.during(emulated(stay), each -> each.append(6));
        }
    },

    /** Another process reads files beside the writer. */
    FOLLOWED_FILES(false) {
        @Override
        void live(Stay stay) {
            stay.followed(files(stay), files(stay));
        }
    },

    /** Another process reads a pool beside the writer. */
    FOLLOWED_POOL(false) {
        @Override
        void live(Stay stay) {
            stay.medium.faults().limitBytes(ROOM);
            stay.followed(emulated(stay), emulated(stay));
        }
    },

    /** A cursor comes and goes. */
    CURSOR(false) {
        @Override
        void live(Stay stay) {
            stay.during(
                    files(stay),
                    each -> {
                        each.append(1);
                        each.topic.cursor("c").advance(0, 1);
                        each.topic.cursor("c").force();
                        each.topic.deleteCursor("c");
                    });
        }
    },

    /** Records are deleted on a disk without a free byte, which has some later. */
    FULL_DISK(false) {
        @Override
        void live(Stay stay) {
            stay.during(
                    files(stay),
                    each -> {
                        each.append(20);
                        each.fillDisk();
                        try {
                            each.append(40);
                        } catch (StoreFullException e) {
                            each.startAsked = each.partition.durableOffset() / 2;
                        }
                        each.fillDisk();
                        each.partition.deleteRecordsBefore(each.startAsked);
                        each.pass();
                        each.medium.faults().limitBytes(Long.MAX_VALUE);
                        each.pass();
                    });
        }
    },

    /** The mark of a sealed segment is gone. */
    LOST_MARK(false) {
        @Override
        void live(Stay stay) throws IOException {
            stay.during(files(stay), each -> each.append(30));
            stay.deleteMarks();
            stay.during(files(stay), each -> each.append(10));
        }
    };

    private static final Path STORE = Path.of("/sim/store");
    private static final Path POOL = Path.of("/sim/pmem");
    private static final Path FILES = Path.of("/sim/segments");
    private static final int VALUE_BYTES = 6_000;
    private static final int ROOM = 12 << 20;

    private final boolean inMemory;

    Situation(boolean inMemory) {
        this.inMemory = inMemory;
    }

    /** Does it all. */
    abstract void live(Stay stay) throws IOException;

    SimulatedFileMedium empty() {
        return (inMemory ? Media.MEMORY : Media.FILES).empty();
    }

    static StorageTier pool(Stay stay, int blocks) {
        return SimulatedPmem.tier(stay.medium, POOL, blocks);
    }

    private static StorageTier emulated(Stay stay) {
        return PmemTier.builder(POOL)
                .medium(stay.medium)
                .blockBytes(2 << 20)
                .poolRatio(0.8)
                .emulation(Emulation.FORCED)
                .build();
    }

    private static StorageTier files(Stay stay) {
        return FileTier.builder(FILES).medium(stay.medium).build();
    }

    /** A store in a situation, and what it has acknowledged. */
    static final class Stay {
        final SimulatedFileMedium medium;
        Topic topic;
        Partition partition;
        long startAsked;
        private final CachedEpochClock clock = new CachedEpochClock();
        private LogStore store;
        private long acked;
        private long sent;

        Stay(SimulatedFileMedium medium) {
            this.medium = medium;
            clock.update(1_700_000_000_000L);
        }

        /** Something with the store open. */
        @FunctionalInterface
        interface Act {
            /** Ends at the first error. */
            void on(Stay stay);
        }

        private LogStoreBuilder at(SimulatedFileMedium on, StorageTier with) {
            return StoreBuilder.over(STORE, on).tier(with).clock(clock).invokerMode();
        }

        void during(StorageTier with, Act act) {
            store = at(medium, with).open();
            try (LogStore open = store) {
                topic =
                        open.openOrCreateTopic(
                                "t", TopicOptions.defaults().withSegmentBytes(64 * 1024));
                partition = topic.partition(0);
                act.on(this);
            }
        }

        void append(int records) {
            try (Appender appender = partition.openAppender()) {
                for (int i = 0; i < records; i++) {
                    sent = partition.nextOffset() + 1;
                    acked = appender.append(value(partition.nextOffset())) + 1;
                    pass();
                }
            }
        }

        void pass() {
            clock.advance(1_000);
            store.doWork();
        }

        void fillDisk() {
            try {
                medium.faults().limitBytes(Long.MAX_VALUE - 1);
                long used = Long.MAX_VALUE - 1 - medium.usableBytes(STORE);
                medium.faults().limitBytes(used);
            } catch (IOException e) {
                medium.faults().limitBytes(0);
            }
        }

        /** A reader opens when there is something, and looks again while more comes. */
        void followed(StorageTier writers, StorageTier readers) {
            during(
                    writers,
                    each -> {
                        each.append(6);
                        try (LogStore reading = at(medium, readers).readOnly().open()) {
                            for (int i = 0; i < 3; i++) {
                                each.append(3);
                                require(reading.openTopic("t").partition(0), each);
                                reading.doWork();
                            }
                        }
                    });
        }

        private static void require(Partition read, Stay stay) {
            if (read.visibleOffset() > stay.sent) {
                throw new Violation("a reader sees " + read.visibleOffset() + " of " + stay.sent);
            }
        }

        void deleteMarks() throws IOException {
            for (String id : medium.list(FILES)) {
                Path directory = FILES.resolve(id).resolve("0");
                for (String name : medium.list(directory)) {
                    if (name.endsWith(".mark")) {
                        medium.delete(directory.resolve(name));
                    }
                }
            }
        }

        /** Opens what is left and reads it. */
        void check(SimulatedFileMedium left, Situation situation) {
            List<Long> read = new ArrayList<>();
            Stay again = new Stay(left);
            StorageTier with =
                    switch (situation) {
                        case GROWTH -> pool(again, 5);
                        case WHOLE_FILE_SYSTEM, FOLLOWED_POOL -> emulated(again);
                        default -> files(again);
                    };
            if (situation == WHOLE_FILE_SYSTEM || situation == FOLLOWED_POOL) {
                left.faults().limitBytes(ROOM);
            }
            again.clock.update(clock.time());
            again.during(with, each -> read.addAll(each.readAll()));
            long from = read.isEmpty() ? 0 : read.get(0);
            long to = from + read.size();
            if (from > startAsked
                    || (to < acked && acked > startAsked)
                    || to > Math.max(sent, acked)) {
                throw new Violation(
                        "found "
                                + from
                                + " to "
                                + to
                                + ", acked "
                                + acked
                                + " of "
                                + sent
                                + ", deleted below "
                                + startAsked);
            }
        }

        private List<Long> readAll() {
            List<Long> read = new ArrayList<>();
            try (Tailer tailer = partition.openTailer()) {
                tailer.seek(partition.logStartOffset());
                while (tailer.poll(
                                record -> {
                                    long offset = record.offset();
                                    long expected =
                                            read.isEmpty() ? offset : read.get(read.size() - 1) + 1;
                                    if (offset != expected
                                            || !Arrays.equals(
                                                    record.copy().value(), value(offset))) {
                                        throw new Violation("another record at " + expected);
                                    }
                                    read.add(offset);
                                    return Verdict.CONTINUE;
                                },
                                1_000)
                        > 0) {
                    continue;
                }
            }
            return read;
        }

        private static byte[] value(long offset) {
            byte[] value = new byte[VALUE_BYTES];
            Arrays.fill(value, (byte) (offset * 31 + 7));
            return value;
        }
    }
}
