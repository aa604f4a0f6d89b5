package io.firn.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.StoreFullException;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.sim.FirstRunOnly;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import io.firn.spi.Block;
import io.firn.spi.Block.Sidecar;
import io.firn.spi.BlockCopy;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Power cuts, kills, errors and a full disk at every operation of a rewritten segment: it is there
 * as a whole or not at all (O14), and so is the one that it replaces.
 */
@FirstRunOnly
class RewrittenCrashTest {
    private static final UUID STORE = new UUID(1, 2);
    private static final UUID TOPIC = new UUID(3, 4);
    private static final Path ROOT = Path.of("/data/tier");
    private static final Path DIRECTORY = ROOT.resolve(FileNames.topic(TOPIC)).resolve("0");
    private static final long BASE = 1000;
    private static final int LENGTH = 9000;
    private static final int REWRITTEN_LENGTH = 6000;
    private static final byte[] INDEX = {1, 2, 3};
    private static final byte[] TIME_INDEX = {4, 5, 6, 7};
    private static final int SEEDS = 12;

    /** What is done, in this order, and which generations are there when it is done. */
    private enum Step {
        SEAL("[0]"),
        PUBLISH("[0, 1]"),
        FREE("[1]"),
        MARK("[2]"),
        DELETE("[]");

        private final String after;

        Step(String after) {
            this.after = after;
        }

        private String before() {
            return values()[ordinal() - 1].after;
        }
    }

    /** Refuses to rename what was published before, as overlayfs does in its lower layer. */
    private static final class LowerLayer extends FilterFileMedium {
        LowerLayer(SimulatedFileMedium in) {
            super(in);
        }

        @Override
        public void rename(Path from, Path to) throws IOException {
            if (FileNames.parse(from.getFileName().toString()).kind() == FileNames.Kind.REWRITTEN) {
                throw new AtomicMoveNotSupportedException(
                        from.toString(), to.toString(), "Invalid cross-device link");
            }
            super.rename(from, to);
        }
    }

    /** One process. */
    private static final class Process {
        private final SimulatedFileMedium medium;
        private final FileTier tier;
        private final boolean isReadOnly;
        private BlockCopy copy;

        Process(SimulatedFileMedium medium) throws IOException {
            this(medium, new LowerLayer(medium), false);
        }

        private Process(SimulatedFileMedium medium, FileMedium seen, boolean readOnly)
                throws IOException {
            this.medium = medium;
            this.isReadOnly = readOnly;
            this.tier = FileTier.at(ROOT).withMedium(seen);
            tier.open(new TierContext(STORE, !readOnly, readOnly));
        }

        static Process reader(SimulatedFileMedium medium, FileMedium seen) throws IOException {
            return new Process(medium, seen, true);
        }

        static Process before(Step step) throws IOException {
            Process process = new Process(new SimulatedFileMedium());
            for (Step each : Step.values()) {
                if (each.compareTo(step) < 0) {
                    process.take(each);
                }
            }
            return process;
        }

        void take(Step step) throws IOException {
            switch (step) {
                case SEAL -> {
                    Block source = tier.reserve(TOPIC, 0, LENGTH, 42);
                    source.write(0, ByteBuffer.wrap(bytes(LENGTH)));
                    source.force(0, LENGTH);
                    source.seal(source.mark().sealed(42, BASE, LENGTH, BASE + 9, 77));
                    source.finishSeal(INDEX, TIME_INDEX);
                }
                case PUBLISH -> {
                    copy = tier.beginCopy(rewritten(LENGTH), 43);
                    copy.write(0, bytes(REWRITTEN_LENGTH), 0, 4000);
                    copy.force();
                    copy.write(4000, bytes(REWRITTEN_LENGTH), 4000, 2000);
                    copy.force();
                    copy.publish(rewritten(REWRITTEN_LENGTH), INDEX, TIME_INDEX);
                }
                case FREE -> find(0).delete();
                case MARK -> {
                    Mark mark = find(1).mark();
                    find(1).rewriteMark(
                                    mark.sealed(42, BASE, REWRITTEN_LENGTH, BASE + 9, 77)
                                            .inGeneration(2, 9000));
                }
                case DELETE -> find(2).delete();
            }
        }

        private static Mark rewritten(int length) {
            return new Mark(SegmentState.SEALED, TOPIC, 0, 42, BASE, LENGTH, BASE + 9, 77, 5)
                    .sealed(42, BASE, length, BASE + 9, 77)
                    .inGeneration(1, 5000);
        }

        private Block find(int generation) throws IOException {
            for (Block block : tier.list()) {
                if (block.mark().generation() == generation) {
                    return block;
                }
            }
            throw new AssertionError(generation + " in " + tier.list());
        }

        /** Checks that what is there is whole; returns the generations. */
        String state() throws IOException {
            TreeSet<Integer> generations = new TreeSet<>();
            for (Block block : tier.list()) {
                Mark mark = block.mark();
                int length = mark.generation() == 0 ? LENGTH : REWRITTEN_LENGTH;
                assertTrue(generations.add(mark.generation()), () -> "two of " + mark);
                if (!isReadOnly && !block.isFinished()) {
                    block.finishSeal(INDEX, TIME_INDEX); // its file was not cut
                }
                assertTrue(block.isFinished());
                assertEquals(length, mark.position());
                assertEquals(length, block.capacity());
                assertEquals(BASE + 9, mark.offset());
                assertEquals(new long[] {-1, 5000, 9000}[mark.generation()], mark.compactedTo());
                byte[] read = new byte[length];
                assertEquals(length, block.read(0, read, 0, length));
                assertArrayEquals(bytes(length), read);
                assertSidecar(INDEX, block.readSidecar(Sidecar.INDEX));
                assertSidecar(TIME_INDEX, block.readSidecar(Sidecar.TIMEINDEX));
            }
            assertEquals(List.of(), tier.strangers());
            long used = tier.list().stream().mapToLong(Block::usedBytes).sum();
            assertEquals(used, tier.usedBytes());
            return generations.toString();
        }

        /** It is not forced, and made again when it is missing. */
        private static void assertSidecar(byte[] expected, byte[] found) {
            if (found != null) {
                assertArrayEquals(expected, found);
            }
        }

        void close() throws IOException {
            tier.close();
        }
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 + i / 256 + length);
        }
        return bytes;
    }

    private static List<Survival> survivals() {
        List<Survival> all = new ArrayList<>();
        all.addAll(List.of(Survival.NONE, Survival.ALL, Survival.NAMES, Survival.BYTES));
        for (int seed = 0; seed < SEEDS; seed++) {
            all.add(Survival.random(seed));
        }
        return all;
    }

    /** Something to look at. */
    @FunctionalInterface
    private interface Look {
        /** Looks at a medium as it is just before an operation. */
        void at(SimulatedFileMedium medium) throws IOException;
    }

    private static void lookAt(Look look, SimulatedFileMedium medium) {
        try {
            look.at(medium);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Looks before each operation of a step and after the last; returns how many there were. */
    private static int eachOperation(Step step, Look look) throws IOException {
        Process process = Process.before(step);
        int before = process.medium.operations();
        process.medium.onOperation(number -> lookAt(look, process.medium));
        process.take(step);
        process.medium.ignoreOperations();
        lookAt(look, process.medium);
        assertEquals(step.after, process.state());
        return process.medium.operations() - before;
    }

    @ParameterizedTest(name = "shouldBeThereAsAWholeOrNotAtAllWhenPowerIsCutAtAnyOperationOf {0}")
    @EnumSource(value = Step.class, names = "SEAL", mode = EnumSource.Mode.EXCLUDE)
    void shouldBeThereAsAWholeOrNotAtAllWhenPowerIsCutAtAnyOperationOf(Step step)
            throws IOException {
        List<String> failures = new ArrayList<>();
        eachOperation(
                step,
                medium -> {
                    check(medium.kill(), step, "a kill", failures);
                    for (Survival survival : survivals()) {
                        check(medium.crash(survival), step, survival, failures);
                    }
                });
        assertEquals(List.of(), failures);
        SimulatedFileMedium done = Process.before(step).medium;
        Process process = new Process(done.kill());
        process.take(step);
        Process found = new Process(process.medium.crash(Survival.NONE));
        assertEquals(step.after, found.state(), "durable when it has returned");
    }

    @ParameterizedTest(name = "shouldShowAReaderAllOfASegmentOrNothingAtAnyOperationOf {0}")
    @EnumSource(value = Step.class, names = "SEAL", mode = EnumSource.Mode.EXCLUDE)
    void shouldShowAReaderAllOfASegmentOrNothingAtAnyOperationOf(Step step) throws IOException {
        int operations =
                eachOperation(
                        step,
                        medium -> {
                            String before = medium.toString();
                            SimulatedFileMedium seen = medium.kill();
                            Process reader = Process.reader(seen, seen);
                            legal(reader, step);
                            reader.close();
                            assertEquals(before, seen.toString(), "a reader changes nothing");
                        });
        assertTrue(operations > 0);
    }

    /** Lets a writer replace generation 1 by 2 after the names of the partition were listed. */
    private static final class Replaced extends FilterFileMedium {
        private final Process writer;
        private final boolean isDeletedWhole;
        private boolean isNext;

        Replaced(Process writer, boolean isDeletedWhole) {
            super(writer.medium);
            this.writer = writer;
            this.isDeletedWhole = isDeletedWhole;
        }

        @Override
        public List<String> list(Path directory) throws IOException {
            if (isNext && directory.getFileName().toString().equals(FileNames.rewritten(BASE, 1))) {
                isNext = false;
                replace();
            }
            return super.list(directory);
        }

        private void replace() throws IOException {
            Mark mark =
                    Process.rewritten(REWRITTEN_LENGTH)
                            .sealed(42, BASE, REWRITTEN_LENGTH, BASE + 9, 77)
                            .inGeneration(2, 9000);
            BlockCopy copy = writer.tier.beginCopy(mark, 44);
            copy.write(0, bytes(REWRITTEN_LENGTH), 0, REWRITTEN_LENGTH);
            copy.force();
            copy.publish(mark, INDEX, TIME_INDEX);
            Block old = writer.find(1);
            if (isDeletedWhole) {
                old.delete();
            } else {
                int next = writer.medium.operations() + 2;
                writer.medium.faults().failOperations(number -> number >= next);
                assertThrows(IOException.class, old::delete);
                writer.medium.faults().none();
            }
        }
    }

    @ParameterizedTest(name = "shouldFindWhatReplacedASegmentWhileAReaderLooked: whole {0}")
    @ValueSource(booleans = {true, false})
    void shouldFindWhatReplacedASegmentWhileAReaderLooked(boolean isDeletedWhole)
            throws IOException {
        Process writer = Process.before(Step.MARK);
        Replaced seen = new Replaced(writer, isDeletedWhole);
        Process reader = Process.reader(writer.medium, seen);
        seen.isNext = true;
        assertEquals("[2]", reader.state());
        assertFalse(seen.isNext);
        reader.close();
    }

    /** A crash, another one at each operation of the recovery, and one after it. */
    private static void check(
            SimulatedFileMedium left, Step step, Object crash, List<String> failures) {
        String history = left.toString();
        try {
            left.onOperation(
                    number ->
                            lookAt(
                                    again -> legal(new Process(again.crash(Survival.NONE)), step),
                                    left));
            Process process = new Process(left);
            left.ignoreOperations();
            String found = legal(process, step);
            for (String name : left.list(DIRECTORY)) {
                assertTrue(!name.startsWith("."), name);
            }
            Process third = new Process(left.crash(Survival.NONE));
            assertEquals(found, third.state(), "after a power cut after the recovery");
            for (Step each : Step.values()) {
                if (found.equals(each.after)) {
                    liveOnFrom(each, process);
                }
            }
        } catch (AssertionError | IOException | RuntimeException e) {
            failures.add("during " + step + ", " + crash + ": " + e + "\n" + history);
        }
    }

    private static String legal(Process process, Step step) throws IOException {
        String found = process.state();
        assertTrue(
                found.equals(step.before()) || found.equals(step.after),
                () -> "found " + found + ", expected " + step.before() + " or " + step.after);
        return found;
    }

    private static void liveOnFrom(Step done, Process process) throws IOException {
        for (Step each : Step.values()) {
            if (each.compareTo(done) > 0) {
                process.take(each);
                assertEquals(each.after, process.state());
            }
        }
        assertEquals(List.of(), process.medium.list(DIRECTORY));
        process.close();
        assertEquals(0, process.medium.inUse(), "open files, mappings and locks");
    }

    @ParameterizedTest(name = "shouldLeaveNothingBehindWhenAnyOperationFailsOf {0}")
    @EnumSource(value = Step.class, names = "SEAL", mode = EnumSource.Mode.EXCLUDE)
    void shouldLeaveNothingBehindWhenAnyOperationFailsOf(Step step) throws IOException {
        List<String> failures = new ArrayList<>();
        int operations = eachOperation(step, medium -> {});
        for (int k = 1; k <= operations; k++) {
            Process process = Process.before(step);
            int failing = process.medium.operations() + k;
            process.medium.faults().failOperations(number -> number == failing);
            assertThrows(IOException.class, () -> process.take(step), "operation " + k);
            String what = "failure of " + process.medium.history().get(failing - 1);
            check(process.medium.kill(), step, what, failures);
            check(process.medium.crash(Survival.NONE), step, what, failures);
            takeAgain(process, step);
        }
        assertEquals(List.of(), failures);
    }

    /** A failed attempt disturbs neither what was there before nor the next attempt. */
    private static void takeAgain(Process process, Step step) throws IOException {
        if (process.copy != null && step == Step.PUBLISH) {
            process.copy.abandon();
            process.copy.abandon();
            assertEquals(step.before(), process.state());
            assertEquals(
                    List.of(),
                    process.medium.list(DIRECTORY).stream()
                            .filter(name -> name.startsWith("."))
                            .toList());
        }
        process.take(step);
        assertEquals(step.after, process.state());
        Process after = new Process(process.medium.crash(Survival.NONE));
        assertEquals(step.after, after.state());
    }

    @Test
    void shouldNotDeleteTheNextAttemptWhenAnEarlierOneIsAbandonedLate() throws IOException {
        Process process = Process.before(Step.PUBLISH);
        BlockCopy earlier = process.tier.beginCopy(Process.rewritten(LENGTH), 43);
        earlier.write(0, bytes(REWRITTEN_LENGTH), 0, 4000);
        process.medium.faults().refuseChanges(path -> path.startsWith(DIRECTORY));
        assertThrows(IOException.class, earlier::abandon);
        process.medium.faults().none();
        process.take(Step.PUBLISH);
        earlier.abandon();
        assertEquals(Step.PUBLISH.after, process.state());
        Process after = new Process(process.medium.crash(Survival.NONE));
        assertEquals(Step.PUBLISH.after, after.state());
    }

    @ParameterizedTest(name = "shouldSayThatTheDiskIsFullAndGoOnWhenItIsNotDuring {0}")
    @EnumSource(
            value = Step.class,
            names = {"PUBLISH", "MARK"})
    void shouldSayThatTheDiskIsFullAndGoOnWhenItIsNotDuring(Step step) throws IOException {
        int operations = eachOperation(step, medium -> {});
        int full = 0;
        for (int k = 1; k <= operations; k++) {
            Process process = Process.before(step);
            int failing = process.medium.operations() + k;
            process.medium.faults().refuseSpace(number -> number == failing);
            boolean isDone = false;
            try {
                process.take(step);
                isDone = true; // without a sidecar
            } catch (StoreFullException e) {
                full++;
            }
            process.medium.faults().refuseSpace(number -> false);
            if (!isDone) {
                takeAgain(process, step);
            }
            assertEquals(step.after, process.state());
        }
        assertTrue(full > 0);
    }
}
