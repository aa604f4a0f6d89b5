package io.firn.crashlab;

import static io.firn.crashlab.Violation.require;

import io.firn.Appender;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.RecordHandler;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.concurrent.CachedEpochClock;

/** A store with one topic that executes a {@link Scenario}, and what it has acknowledged. */
final class ScenarioStore {
    private static final Path STORE = Path.of("/sim/store");
    private static final long START_MS = 1_700_000_000_000L;
    private static final int SEGMENT_BYTES = 64 * 1024;
    private static final int VALUE_BYTES = 6_000;

    final SimulatedFileMedium medium;
    Topic topic;
    Partition partition;

    /** The offset up to which records were to be deleted. */
    long startAsked;

    private final CachedEpochClock clock = new CachedEpochClock();
    private LogStore store;
    private long acked;
    private long sent;

    ScenarioStore(SimulatedFileMedium medium) {
        this.medium = medium;
        clock.update(START_MS);
    }

    private LogStoreBuilder at(SimulatedFileMedium on, StorageTier tier) {
        return StoreBuilder.over(STORE, on).tier(tier).clock(clock).invokerMode();
    }

    /** Opens the store, does something with it, and closes it. */
    void during(StorageTier tier, Consumer<ScenarioStore> action) {
        store = at(medium, tier).open();
        try (LogStore open = store) {
            topic = open.ensureTopic("t", TopicOptions.defaults().withSegmentBytes(SEGMENT_BYTES));
            partition = topic.partition(0);
            action.accept(this);
        }
    }

    /** Appends records, with background work after each. */
    void append(int records) {
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; i < records; i++) {
                sent = partition.nextOffset() + 1;
                acked = appender.append(value(partition.nextOffset())) + 1;
                pass();
            }
        }
    }

    /** Advances the clock by a second and runs the background work that has become due. */
    void pass() {
        clock.advance(1_000);
        store.doWork();
    }

    /** Leaves no free space on the medium. */
    void fillDisk() {
        try {
            medium.faults().limitBytes(Long.MAX_VALUE - 1);
            long used = Long.MAX_VALUE - 1 - medium.usableBytes(STORE);
            medium.faults().limitBytes(used);
        } catch (IOException e) {
            medium.faults().limitBytes(0);
        }
    }

    /** Appends while a read-only store, which was opened after the first records, follows. */
    void followed(StorageTier writersTier, StorageTier readersTier) {
        during(
                writersTier,
                each -> {
                    each.append(6);
                    try (LogReader reading = at(medium, readersTier).openReadOnly()) {
                        for (int i = 0; i < 3; i++) {
                            each.append(3);
                            long visible = reading.openTopic("t").partition(0).visibleOffset();
                            require(
                                    visible <= sent,
                                    "a reader sees " + visible + " records of " + sent);
                            reading.doWork();
                        }
                    }
                });
    }

    /** Deletes the marks of all sealed segments below a directory. */
    void deleteMarks(Path segments) throws IOException {
        for (String id : medium.list(segments)) {
            Path directory = segments.resolve(id).resolve("0");
            for (String name : medium.list(directory)) {
                if (name.endsWith(".mark")) {
                    medium.delete(directory.resolve(name));
                }
            }
        }
    }

    /** Reads everything and compares it with what an earlier store has acknowledged. */
    void checkAgainst(ScenarioStore before, StorageTier tier) {
        List<Long> read = new ArrayList<>();
        clock.update(before.clock.time());
        during(tier, each -> read.addAll(each.readAll()));
        long from = read.isEmpty() ? 0 : read.get(0);
        long to = from + read.size();
        require(
                from <= before.startAsked
                        && (to >= before.acked || before.acked <= before.startAsked)
                        && to <= Math.max(before.sent, before.acked),
                String.format(
                        "found %d to %d, acknowledged up to %d, sent up to %d, deleted below %d",
                        from, to, before.acked, before.sent, before.startAsked));
    }

    /** Returns the offsets of all records, which must be consecutive and have the right values. */
    private List<Long> readAll() {
        List<Long> read = new ArrayList<>();
        try (Tailer tailer = partition.openTailer()) {
            tailer.seek(partition.logStartOffset());
            while (tailer.poll(
                            record -> {
                                long offset = record.offset();
                                long expected =
                                        read.isEmpty() ? offset : read.get(read.size() - 1) + 1;
                                require(
                                        offset == expected
                                                && Arrays.equals(
                                                        record.copy().value(), value(offset)),
                                        "another record at " + expected);
                                read.add(offset);
                                return RecordHandler.Action.CONTINUE;
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
