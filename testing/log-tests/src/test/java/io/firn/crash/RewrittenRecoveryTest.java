package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Compression;
import io.firn.DamagedRangeException;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.LogStore.MoveOutcome;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.StoreSnapshot;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.format.BatchFormat;
import io.firn.host.HostedStore;
import io.firn.kafka.KafkaBatches;
import io.firn.kill.Flaws;
import io.firn.medium.MediumFile;
import io.firn.medium.SmallFile;
import io.firn.open.StoreBuilder;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import io.firn.sim.FirstRunOnly;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import io.firn.spi.Block;
import io.firn.spi.BlockCopy;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import io.firn.spi.StorageTier;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What an open finds when a crash came after a rewritten segment was published (O14): three sealed
 * segments were rewritten as one, whose records have other values than theirs, and any of the three
 * are still there.
 */
@FirstRunOnly
class RewrittenRecoveryTest {
    private static final Path DIRECTORY = Path.of("/sim/store");
    private static final Path COLD = Path.of("/sim/cold");
    private static final int LENGTH = 10_000;
    private static final int SEGMENTS = 4;
    private static final int SOURCES = 3;
    private static final int BLOCK_BYTES = 2 << 20;

    /** What the hotter tier is made of; the colder one is a directory. */
    private enum Hot {
        FILE {
            @Override
            StorageTier at(SimulatedFileMedium medium) {
                return FileTier.at(Path.of("/sim/hot")).withMedium(medium);
            }
        },
        PMEM {
            @Override
            StorageTier at(SimulatedFileMedium medium) {
                return PmemTier.at(Path.of("/sim/hot"))
                        .withMedium(medium)
                        .withBlockBytes(BLOCK_BYTES)
                        .withPoolRatio(1)
                        .withCapacityBytes(9L * BLOCK_BYTES)
                        .withEmulation(Emulation.FORCED);
            }
        };

        abstract StorageTier at(SimulatedFileMedium medium);

        /** A simulated pool takes long to open, so of its cases a share is tried. */
        boolean leavesOut(int number) {
            return this == PMEM && number % 3 != 1;
        }
    }

    private final CachedEpochClock clock = new CachedEpochClock();
    private final List<Long> bases = new ArrayList<>();
    private SimulatedFileMedium medium;

    @BeforeAll
    static void silenceLog() {
        Simulation.silenceLog();
    }

    @BeforeEach
    void setClock() {
        clock.update(1_700_000_000_000L);
    }

    private LogStore open(Hot hot, SimulatedFileMedium on, boolean readOnly) {
        var builder =
                StoreBuilder.over(DIRECTORY, on)
                        .tier(hot.at(on))
                        .tier(FileTier.at(COLD).withMedium(on))
                        .clock(clock)
                        .invokerMode();
        return readOnly ? HostedStore.of(builder.openReadOnly()) : builder.open();
    }

    /** Four sealed segments in the hotter tier, and one that is written to. */
    private void makeStore(Hot hot) {
        medium = new SimulatedFileMedium();
        TopicOptions options =
                TopicOptions.defaults().withSegmentBytes(64 * 1024).withMaxRecordBytes(2 * LENGTH);
        try (LogStore store = open(hot, medium, false)) {
            Partition partition = store.createTopic("t", options).partition(0);
            try (Appender appender = partition.openAppender()) {
                for (long rolls = 0; rolls < SEGMENTS; rolls = partition.metrics().rolls()) {
                    append(store, appender, partition);
                }
                append(store, appender, partition);
            }
        }
    }

    private void append(LogStore store, Appender appender, Partition partition) {
        appender.append(value("source", partition.nextOffset()));
        clock.advance(200);
        for (int i = 0; i < 3; i++) {
            store.doWork();
        }
    }

    private static byte[] value(String kind, long offset) {
        byte[] value = new byte[LENGTH];
        byte[] text = (kind + " " + offset).getBytes(StandardCharsets.UTF_8);
        System.arraycopy(text, 0, value, 0, text.length);
        return value;
    }

    /** The tiers themselves, without a store that would decide anything. */
    private static final class Raw implements AutoCloseable {
        private final StorageTier hot;
        private final StorageTier cold;

        Raw(Hot kind, SimulatedFileMedium on) throws IOException {
            Map<String, String> identity =
                    SmallFile.read(on, DIRECTORY.resolve("store"), "store", 1);
            TierContext context =
                    new TierContext(UUID.fromString(identity.get("id")), false, false);
            hot = kind.at(on);
            cold = FileTier.at(COLD).withMedium(on);
            hot.open(context);
            cold.open(context);
        }

        List<Block> sealed() throws IOException {
            List<Block> all = new ArrayList<>(hot.list());
            all.addAll(cold.list());
            all.removeIf(block -> block.mark().state() != SegmentState.SEALED);
            all.sort(Comparator.comparingLong(block -> block.mark().baseOffset()));
            return all;
        }

        /** Publishes one segment in place of the first three, with other records. */
        Block rewrite(StorageTier in) throws IOException {
            Mark first = sealed().get(0).mark();
            Mark last = sealed().get(SOURCES - 1).mark();
            List<ByteBuffer> batches = new ArrayList<>();
            int length = 0;
            for (long offset = first.baseOffset(); offset < last.offset(); offset++) {
                ByteBuffer batch =
                        KafkaBatches.of(Compression.NONE).encode(null, value("rewritten", offset));
                batch.putLong(BatchFormat.BASE_OFFSET, offset);
                batch.putInt(BatchFormat.EPOCH, BatchFormat.epochBits(last.epoch()));
                batches.add(batch);
                length += batch.remaining();
            }
            Mark mark =
                    first.sealed(last.epoch(), first.baseOffset(), length, last.offset(), 77)
                            .inGeneration(1, 5);
            BlockCopy copy = in.beginCopy(mark, 1_000_000);
            int at = 0;
            for (ByteBuffer batch : batches) {
                copy.write(at, batch.array(), batch.arrayOffset(), batch.remaining());
                at += batch.remaining();
            }
            copy.force();
            return copy.publish(mark, new byte[0], new byte[0]);
        }

        /** As a move does it. */
        void move(Block block, StorageTier to) throws IOException {
            byte[] bytes = new byte[block.mark().position()];
            block.read(0, bytes, 0, bytes.length);
            BlockCopy copy = to.beginCopy(block.mark(), 1_000_001);
            copy.write(0, bytes, 0, bytes.length);
            copy.force();
            copy.publish(block.mark(), new byte[0], new byte[0]);
            block.delete();
        }

        @Override
        public void close() throws IOException {
            hot.close();
            cold.close();
        }
    }

    /** An image with a rewritten segment, and those of its sources of which the bits are set. */
    private SimulatedFileMedium image(Hot hot, boolean isCold, int sources, boolean isSpread)
            throws IOException {
        SimulatedFileMedium image = medium.kill();
        try (Raw raw = new Raw(hot, image)) {
            List<Block> before = raw.sealed();
            bases.clear();
            before.forEach(block -> bases.add(block.mark().baseOffset()));
            raw.rewrite(isCold ? raw.cold : raw.hot);
            for (int i = 0; i < SOURCES; i++) {
                if ((sources & 1 << i) == 0) {
                    before.get(i).delete();
                } else if (isSpread && i % 2 == 0) {
                    raw.move(before.get(i), raw.cold);
                }
            }
        }
        return image;
    }

    /** Reads everything; of each offset the kind of its record, or that it is damaged. */
    private static List<String> read(LogStore store) {
        List<String> found = new ArrayList<>();
        Partition partition = store.openTopic("t").partition(0);
        try (Tailer tailer = partition.openTailer()) {
            while (found.size() < partition.visibleOffset()) {
                try {
                    tailer.poll(
                            record -> {
                                byte[] value = new byte[record.valueLength()];
                                record.getValue(value, 0);
                                String kind = value[0] == 's' ? "source" : "rewritten";
                                assertArrayEquals(value(kind, record.offset()), value);
                                assertEquals(found.size(), record.offset());
                                found.add(kind);
                                return Action.CONTINUE;
                            },
                            1000);
                } catch (DamagedRangeException e) {
                    for (long offset = e.fromOffset(); offset < e.toOffset(); offset++) {
                        found.add("damaged");
                    }
                    tailer.seek(0, e.toOffset());
                }
            }
        }
        return found;
    }

    private List<String> expected(String kind, LogStore store) {
        List<String> all = new ArrayList<>();
        long end = store.openTopic("t").partition(0).nextOffset();
        for (long offset = 0; offset < end; offset++) {
            all.add(offset < bases.get(SOURCES) ? kind : "source");
        }
        return all;
    }

    private List<Block> sealedIn(Hot hot, SimulatedFileMedium image) throws IOException {
        try (Raw raw = new Raw(hot, image.kill())) {
            return raw.sealed();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldDropWhateverIsLeftOfTheSourcesInWhateverTier(Hot hot) throws IOException {
        makeStore(hot);
        for (int each = 0; each < 4 << SOURCES; each++) {
            if (hot.leavesOut(each)) {
                continue;
            }
            boolean isCold = (each & 1) != 0;
            boolean isSpread = (each & 2) != 0;
            SimulatedFileMedium image = image(hot, isCold, each >> 2, isSpread);
            String what = "rewritten in " + (isCold ? "cold" : "hot") + ", sources " + each;
            String before = image.toString();
            SimulatedFileMedium again = image.kill();
            try (LogStore reader = open(hot, again, true)) {
                assertEquals(expected("rewritten", reader), read(reader), what);
                assertEquals(before, again.toString(), "a reader changes nothing, " + what);
            }
            try (LogStore store = open(hot, image, false)) {
                assertEquals(expected("rewritten", store), read(store), what);
                assertEquals(List.of(), Flaws.of(store), what);
            }
            assertEquals(1 + SEGMENTS - SOURCES, sealedIn(hot, image).size(), what);
            SimulatedFileMedium later = image.crash(Survival.NONE);
            assertEquals(1 + SEGMENTS - SOURCES, sealedIn(hot, later).size(), "durably, " + what);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindTheSameWhenPowerIsCutWhileTheSourcesAreDropped(Hot hot) throws IOException {
        makeStore(hot);
        SimulatedFileMedium image = image(hot, true, 7, true).crash(Survival.NONE);
        List<SimulatedFileMedium> cuts = new ArrayList<>();
        image.onOperation(
                number -> {
                    if (!hot.leavesOut(number)) {
                        boolean isEven = number % 2 == 0;
                        cuts.add(image.crash(isEven ? Survival.NONE : Survival.random(number)));
                    }
                });
        open(hot, image, false).close();
        image.ignoreOperations();
        assertFalse(cuts.isEmpty());
        for (SimulatedFileMedium cut : cuts) {
            try (LogStore store = open(hot, cut, false)) {
                assertEquals(expected("rewritten", store), read(store));
                assertEquals(List.of(), Flaws.of(store));
            }
            assertEquals(1 + SEGMENTS - SOURCES, sealedIn(hot, cut).size());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldShowReadersTheRewrittenSegmentWhileAndAfterItsSourcesGo(Hot hot) throws IOException {
        makeStore(hot);
        try (LogStore reader = open(hot, medium, true);
                Raw raw = new Raw(hot, medium)) {
            List<Block> sources = raw.sealed();
            sources.forEach(block -> bases.add(block.mark().baseOffset()));
            assertEquals(expected("source", reader), read(reader));

            raw.rewrite(raw.cold);
            look(reader);
            assertEquals(expected("rewritten", reader), read(reader));
            for (int i : new int[] {1, 0, 2}) {
                sources.get(i).delete();
                look(reader);
                assertEquals(expected("rewritten", reader), read(reader));
                assertEquals(List.of(), Flaws.of(reader));
            }
            for (int i = 0; i < 30; i++) {
                look(reader); // nothing is missing, however often it looks
            }
            assertEquals(expected("rewritten", reader), read(reader));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldMissNoSourceThatWentSinceTheLastLook(Hot hot) throws IOException {
        makeStore(hot);
        try (LogStore reader = open(hot, medium, true);
                Raw raw = new Raw(hot, medium)) {
            List<Block> sources = raw.sealed().subList(0, SOURCES);
            raw.sealed().forEach(block -> bases.add(block.mark().baseOffset()));
            raw.rewrite(raw.cold);
            for (Block source : sources) {
                source.delete();
            }
            look(reader);
            assertEquals(expected("rewritten", reader), read(reader));
            List<Long> shown =
                    reader.snapshot().partitions().get(0).segments().stream()
                            .map(StoreSnapshot.SegmentPlace::baseOffset)
                            .toList();
            List<Long> current = new ArrayList<>(bases.subList(SOURCES, SEGMENTS));
            current.add(0, 0L);
            assertEquals(current, shown.subList(0, current.size()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepTheGenerationOfASegmentThatMoves(Hot hot) throws IOException {
        makeStore(hot);
        SimulatedFileMedium image = image(hot, true, 0, false);
        for (int to = 0; to < 2; to++) {
            try (LogStore store = open(hot, image, false)) {
                assertEquals(MoveOutcome.MOVED, store.migrate("t", 0, 0, "tier-" + to));
                assertEquals(expected("rewritten", store), read(store));
            }
            try (Raw raw = new Raw(hot, image.crash(Survival.NONE))) {
                Block moved = raw.sealed().get(0);
                assertEquals(to == 0, raw.hot.list().contains(moved));
                assertEquals(1, moved.mark().generation());
                assertEquals(5, moved.mark().compactedTo());
                assertEquals(1 + SEGMENTS - SOURCES, raw.sealed().size());
            }
        }
    }

    /** A topic that it does not know makes it look at everything. */
    private static void look(LogStore reader) {
        assertThrows(FirnException.class, () -> reader.openTopic("unknown"));
    }

    private static Path rewrittenFile(SimulatedFileMedium image, String name) throws IOException {
        Path topic = COLD.resolve(topicIn(image));
        return topic.resolve("0/00000000000000000000.1/00000000000000000000." + name);
    }

    private static String topicIn(SimulatedFileMedium image) throws IOException {
        for (String name : image.list(COLD)) {
            if (name.length() == 36) {
                return name;
            }
        }
        throw new AssertionError(image.toString());
    }

    private static void cut(SimulatedFileMedium image, int bytes) {
        try (MediumFile file = image.open(rewrittenFile(image, "log"), true)) {
            file.setSize(file.size() - bytes);
            file.force();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldUseTheSourcesWhenTheRewrittenSegmentIsNotWhole(Hot hot) throws IOException {
        makeStore(hot);
        SimulatedFileMedium image = image(hot, true, 7, true);
        cut(image, 1);
        try (LogStore reader = open(hot, image.kill(), true)) {
            assertEquals(expected("source", reader), read(reader));
        }
        try (LogStore store = open(hot, image, false)) {
            assertEquals(expected("source", store), read(store));
            String findings = store.findings().toString();
            assertTrue(findings.contains("kept, not served: those that it repl"), findings);
            assertTrue(findings.contains(rewrittenFile(image, "log").toString()), findings);
        }
        assertEquals(1 + SEGMENTS, sealedIn(hot, image).size(), "all are kept");
    }

    @ParameterizedTest
    @EnumSource
    void shouldUseABrokenRewrittenSegmentWhereItsSourcesDoNotCoverItsRange(Hot hot)
            throws IOException {
        makeStore(hot);
        for (int sources = 0; sources < 7; sources++) {
            if (hot.leavesOut(sources)) {
                continue;
            }
            SimulatedFileMedium image = image(hot, true, sources, false);
            cut(image, 1);
            try (LogStore reader = open(hot, image.kill(), true)) {
                assertLacksOnlyTheLast(reader);
            }
            try (LogStore store = open(hot, image, false)) {
                assertLacksOnlyTheLast(store);
                long putAside =
                        store.findings().stream()
                                .filter(line -> line.text().contains("kept, not served: instead"))
                                .count();
                assertEquals(Integer.bitCount(sources), putAside);
            }
            int kept = 1 + Integer.bitCount(sources) + SEGMENTS - SOURCES;
            assertEquals(kept, sealedIn(hot, image).size(), "all are kept");
        }
    }

    private void assertLacksOnlyTheLast(LogStore store) {
        List<String> all = expected("rewritten", store);
        all.set((int) (long) bases.get(SOURCES) - 1, "damaged");
        assertEquals(all, read(store));
    }

    @ParameterizedTest
    @EnumSource
    void shouldUseTheSourcesWhenTheMarkOfTheRewrittenSegmentIsLost(Hot hot) throws IOException {
        makeStore(hot);
        for (int sources : new int[] {7, 0}) {
            SimulatedFileMedium image = image(hot, true, sources, false);
            image.delete(rewrittenFile(image, "mark"));
            String kind = sources == 7 ? "source" : "rewritten";
            try (LogStore reader = open(hot, image.kill(), true)) {
                assertEquals(expected(kind, reader), read(reader));
            }
            try (LogStore store = open(hot, image, false)) {
                assertEquals(expected(kind, store), read(store));
                assertTrue(store.findings().toString().contains("mark"));
            }
            List<Block> left = sealedIn(hot, image);
            assertEquals(1 + Integer.bitCount(sources) + SEGMENTS - SOURCES, left.size());
            assertTrue(left.stream().anyMatch(block -> block.mark().generation() == 1));
        }
    }
}
