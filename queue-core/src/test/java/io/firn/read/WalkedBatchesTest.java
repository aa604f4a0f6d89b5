package io.firn.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.Compression;
import io.firn.DamagedRangeException;
import io.firn.IsolationLevel;
import io.firn.format.BatchFormat;
import io.firn.format.FillerBatch;
import io.firn.format.MarkerBatch;
import io.firn.host.BatchRun;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import io.firn.kafka.SeededTest;
import io.firn.log.SegmentIndexes;
import io.firn.spi.Block;
import io.firn.spi.Block.Sidecar;
import io.firn.spi.BlockReader;
import io.firn.spi.View;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which headers a reader of whole batches does not look at again, and that its runs are those of a
 * walk.
 */
class WalkedBatchesTest {
    private static final int READS = 400;
    private static final int ALL = Integer.MAX_VALUE;

    // ---- the runs of a walk

    @SeededTest
    void shouldReadTheRunsOfAWalk(long seed) throws IOException {
        Random random = new Random(seed);
        new Twins(random).compare(false);
    }

    @SeededTest
    void shouldReadTheRunsOfAWalkBetweenDamagedBatches(long seed) throws IOException {
        Random random = new Random(seed);
        Twins twins = new Twins(random);
        twins.damage(1 + random.nextInt(4));
        twins.compare(false);
    }

    @SeededTest
    void shouldReadTheRunsOfAWalkWhenTheIndexIsDamaged(long seed) throws IOException {
        new Twins(new Random(seed)).compare(true);
    }

    /** A log, and one with the same bytes in which nothing is trusted, so that each read walks. */
    private static final class Twins {
        private final Random random;
        private final Sealed log;
        private final Sealed walked;
        private final int[] positions;
        private final long[] ends;

        Twins(Random random) throws IOException {
            this.random = random;
            List<ByteBuffer> batches = batches(random);
            log = Sealed.of(batches);
            walked = Sealed.of(batches);
            walked.log.state().poison("a test", "", null, 0);
            positions = new int[batches.size()];
            ends = new long[positions.length];
            int at = 0;
            for (int i = 0; i < positions.length; i++) {
                positions[i] = at;
                ends[i] = BatchFormat.nextOffset(log.memory, at);
                at += BatchFormat.size(log.memory, at);
            }
        }

        /** Single records and several ones, markers, and the fillers of a compacted log. */
        private static List<ByteBuffer> batches(Random random) {
            RandomRecords records = new RandomRecords(random.nextLong());
            List<ByteBuffer> batches = new ArrayList<>();
            for (int i = 100 + random.nextInt(200); i > 0; i--) {
                batches.add(
                        switch (random.nextInt(12)) {
                            case 0 -> filler(1 + random.nextInt(50));
                            case 1 -> ByteBuffer.wrap(MarkerBatch.encode(7, 0, true, 1, 5));
                            case 2 -> single(random.nextInt(20_000));
                            case 3, 4 ->
                                    KafkaBatches.of(Compression.NONE)
                                            .encode(records.next(0, 0, 1 + random.nextInt(5), 100));
                            default -> single(random.nextInt(1_500));
                        });
            }
            return batches;
        }

        private static ByteBuffer filler(int offsets) {
            ByteBuffer filler = ByteBuffer.allocate(FillerBatch.LENGTH);
            FillerBatch.put(filler, 0, 0, offsets, 1);
            return filler;
        }

        /** Flips bits of headers, and of the first bytes behind them. */
        void damage(int bits) {
            for (int i = 0; i < bits; i++) {
                int at = positions[random.nextInt(positions.length)];
                int in = Math.min(at + random.nextInt(70), log.memory.capacity() - 1);
                byte damaged = (byte) (log.memory.get(in) ^ 1 << random.nextInt(Byte.SIZE));
                log.memory.put(in, damaged);
                walked.memory.put(in, damaged);
            }
        }

        /** Reads here and there, by two readers in turn, while the visible end changes. */
        void compare(boolean breaksIndex) throws IOException {
            long end = ends[ends.length - 1];
            byte[] index = log.segment.block().readSidecar(Sidecar.INDEX);
            List<LogBatchReader> readers = List.of(reader(log), reader(log));
            List<LogBatchReader> walks = List.of(reader(walked), reader(walked));
            long[] next = {0, 0};
            for (int i = 0; i < READS; i++) {
                if (i % 20 == 0) {
                    show(i % 60 == 0 ? end : ends[random.nextInt(ends.length)]);
                }
                if (breaksIndex) {
                    breakIndex(index);
                }
                int who = random.nextInt(2);
                long offset = random.nextInt(3) > 0 ? next[who] : random.nextLong(end);
                int most = random.nextInt(8) == 0 ? ALL : random.nextInt(256 << random.nextInt(12));
                boolean atLeastOne = random.nextBoolean();
                Read expected = Read.of(walks.get(who), offset, most, atLeastOne);
                assertEquals(
                        expected,
                        Read.of(readers.get(who), offset, most, atLeastOne),
                        () -> "from " + offset + ", at most " + most);
                next[who] = expected.next < end ? expected.next : 0;
            }
        }

        private void show(long end) {
            log.log.publishDurable(end);
            walked.log.publishDurable(end);
        }

        private void breakIndex(byte[] index) throws IOException {
            byte[] broken = index.clone();
            for (int bits = random.nextInt(20); bits > 0; bits--) {
                broken[random.nextInt(broken.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            }
            log.segment.block().rewriteSidecar(Sidecar.INDEX, broken);
            log.segment.index(null);
            SegmentIndexes.of(log.segment);
        }
    }

    /** What a read has led to. */
    private record Read(long base, long next, ByteBuffer bytes, String error) {
        static Read of(LogBatchReader reader, long offset, int most, boolean atLeastOne) {
            try (BatchRun run = reader.read(offset, most, atLeastOne)) {
                if (run == null) {
                    return new Read(offset, offset, null, "none");
                }
                ByteBuffer bytes = ByteBuffer.allocate(run.bytes().remaining());
                bytes.put(run.bytes().duplicate()).flip();
                return new Read(run.baseOffset(), run.nextOffset(), bytes, "");
            } catch (DamagedRangeException e) {
                return new Read(e.fromOffset(), e.toOffset(), null, "damaged");
            }
        }
    }

    private static LogBatchReader reader(Sealed sealed) {
        return new LogBatchReader(null, sealed.log, IsolationLevel.READ_UNCOMMITTED);
    }

    private static ByteBuffer single(int valueBytes) {
        return KafkaBatches.of(Compression.NONE).encode(null, new byte[valueBytes]);
    }

    // ---- headers

    private static final int BATCHES = 100;

    /** A hundred batches of one record. */
    private static Sealed hundred() throws IOException {
        return Sealed.of(Collections.nCopies(BATCHES, single(1_000)));
    }

    private static void damageMagic(Sealed sealed, int batch) {
        sealed.memory.put(sealed.position(batch) + BatchFormat.MAGIC, (byte) 5);
    }

    private static long endOfRun(LogBatchReader reader, long from) {
        try (BatchRun run = reader.read(from, ALL, true)) {
            assertEquals(from, run.baseOffset());
            return run.nextOffset();
        }
    }

    @Test
    void shouldNotLookAgainAtHeadersThatAnyReaderOfTheViewHasWalkedOver() throws IOException {
        Sealed sealed = hundred();
        LogBatchReader reader = reader(sealed);
        assertEquals(BATCHES, endOfRun(reader, 0));

        damageMagic(sealed, 50);

        assertEquals(BATCHES, endOfRun(reader, 0));
        assertEquals(BATCHES, endOfRun(reader(sealed), 0));
        assertEquals(BATCHES, endOfRun(reader(sealed), 20));
    }

    @Test
    void shouldNotLookAtHeadersOfBatchesThatWereVerified() throws IOException {
        Sealed sealed = hundred();
        RecordReader records = new RecordReader(sealed.log, IsolationLevel.READ_UNCOMMITTED);
        records.poll(record -> io.firn.RecordHandler.Action.CONTINUE, BATCHES);

        damageMagic(sealed, 50);

        assertEquals(BATCHES, endOfRun(reader(sealed), 0));
    }

    @Test
    void shouldJoinWhatWasWalkedOverAndWhatWasVerified() throws IOException {
        Sealed sealed = hundred();
        sealed.log.publishDurable(61);
        assertEquals(61, endOfRun(reader(sealed), 0));
        sealed.log.publishDurable(BATCHES);
        RecordReader records = new RecordReader(sealed.log, IsolationLevel.READ_UNCOMMITTED);
        records.seek(40);
        records.poll(record -> io.firn.RecordHandler.Action.CONTINUE, BATCHES);

        damageMagic(sealed, 30);
        damageMagic(sealed, 70);

        assertEquals(BATCHES, endOfRun(reader(sealed), 0));
    }

    @Test
    void shouldLookAtTheHeadersAfterThoseThatWereWalkedOver() throws IOException {
        Sealed sealed = hundred();
        sealed.log.publishDurable(60);
        assertEquals(60, endOfRun(reader(sealed), 0));
        sealed.log.publishDurable(BATCHES);

        damageMagic(sealed, 70);

        assertEquals(70, endOfRun(reader(sealed), 0));
    }

    @Test
    void shouldLookAgainWhenTheSegmentIsMappedAgain() throws IOException {
        Sealed sealed = hundred();
        LogBatchReader reader = reader(sealed);
        assertEquals(BATCHES, endOfRun(reader, 0));
        damageMagic(sealed, 50);

        sealed.segment.detachView().leave();

        assertEquals(50, endOfRun(reader, 0));
        assertEquals(50, endOfRun(reader(sealed), 0));
    }

    @Test
    void shouldLookAgainOnceThePartitionIsPoisoned() throws IOException {
        Sealed sealed = hundred();
        LogBatchReader reader = reader(sealed);
        assertEquals(BATCHES, endOfRun(reader, 0));
        damageMagic(sealed, 50);

        sealed.log.state().poison("a test", "", null, 0);

        assertEquals(50, endOfRun(reader, 0));
        assertEquals(50, endOfRun(reader(sealed), 0));
    }

    /** Another process may have stored another segment over it. */
    @Test
    void shouldLookAgainAtABlockThatMayBeReused() throws IOException {
        Sealed sealed = hundred();
        assertEquals(BATCHES, endOfRun(reader(sealed), 0));
        damageMagic(sealed, 50);

        sealed.segment.exchange(copied(sealed.segment.block()));

        assertEquals(50, endOfRun(reader(sealed), 0));
    }

    private static Block copied(Block block) {
        BlockReader copying =
                new BlockReader() {
                    @Override
                    public boolean isInPlace() {
                        return false;
                    }

                    @Override
                    public ByteBuffer bytes(View view, int position, int length) {
                        return slice(view, position, length);
                    }

                    @Override
                    public ByteBuffer slice(View view, int position, int length) {
                        ByteBuffer copy = ByteBuffer.allocate(length);
                        return copy.put(0, view.buffer(), position, length);
                    }

                    @Override
                    public void confirm() {
                        // nobody reuses it
                    }
                };
        return (Block)
                Proxy.newProxyInstance(
                        Block.class.getClassLoader(),
                        new Class<?>[] {Block.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("reader")) {
                                return copying;
                            }
                            try {
                                return method.invoke(block, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    /** Base offset and magic of all batches that the index may lead to. */
    @ParameterizedTest
    @ValueSource(ints = {4, 16})
    void shouldWalkWhenTheBatchThatTheIndexLeadsToIsDamaged(int field) throws IOException {
        Sealed sealed = hundred();
        assertEquals(BATCHES, endOfRun(reader(sealed), 0));

        for (int i = 50; i < BATCHES; i++) {
            int at = sealed.position(i) + field;
            sealed.memory.put(at, (byte) (sealed.memory.get(at) ^ 1));
        }

        assertEquals(50, endOfRun(reader(sealed), 0));
    }

    @Test
    void shouldWalkWhileTheIndexIsNotLoaded() throws IOException {
        Sealed sealed = hundred();
        LogBatchReader reader = reader(sealed);
        assertEquals(BATCHES, endOfRun(reader, 0));
        damageMagic(sealed, 50);
        try (BatchRun first = reader.read(0, 1, true)) {
            assertEquals(1, first.nextOffset());
        }

        sealed.segment.index(null);

        assertEquals(50, endOfRun(reader, 1));
    }

    @Test
    void shouldLoadTheIndexAtTheBeginningOfASegmentThatWasWalkedOver() throws IOException {
        Sealed sealed = hundred();
        sealed.segment.index(null);
        LogBatchReader reader = reader(sealed);
        assertEquals(BATCHES, endOfRun(reader, 0));
        assertNull(sealed.segment.index());
        damageMagic(sealed, 50);

        assertEquals(BATCHES, endOfRun(reader, 0));
    }

    /** Length, last offset, magic and base offset. */
    @ParameterizedTest
    @ValueSource(ints = {8, 23, 16, 4})
    void shouldStopAtAHeaderThatWasDamagedWhenOthersReadWhatIsBeforeAndBehindIt(int field)
            throws IOException {
        Sealed sealed = hundred();
        sealed.memory.putInt(sealed.position(40) + field, 20);

        LogBatchReader reader = reader(sealed);
        assertEquals(BATCHES, endOfRun(reader, 41)); // more than what is before it
        assertEquals(40, endOfRun(reader, 0));
        assertThrows(DamagedRangeException.class, () -> reader.read(40, ALL, true));

        assertEquals(40, endOfRun(reader(sealed), 0));
        assertEquals(BATCHES, endOfRun(reader(sealed), 41));
    }

    /** It is the end of a run, so that what it says of its length is compared each time. */
    @Test
    void shouldLookAgainAtTheLastBatchBeforeTheVisibleEnd() throws IOException {
        Sealed sealed = hundred();
        sealed.log.publishDurable(50);
        assertEquals(50, endOfRun(reader(sealed), 0));
        int length = sealed.position(49) + BatchFormat.LENGTH;
        sealed.memory.putInt(length, sealed.memory.getInt(length) + 1);
        assertEquals(49, endOfRun(reader(sealed), 0));
        sealed.log.publishDurable(BATCHES);
        assertEquals(BATCHES, endOfRun(reader(sealed), 50));

        assertEquals(49, endOfRun(reader(sealed), 0));
    }

    @Test
    void shouldEndAtTheCutOfATruncationWhateverWasWalkedOverBehindIt() throws IOException {
        Sealed sealed = hundred();
        assertEquals(BATCHES, endOfRun(reader(sealed), 0));

        sealed.segment.cutTo(sealed.position(60), 60);

        assertEquals(60, endOfRun(reader(sealed), 0));
    }
}
