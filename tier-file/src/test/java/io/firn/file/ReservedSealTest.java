package io.firn.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.medium.FilterFileMedium;
import io.firn.medium.MediumFile;
import io.firn.sim.SimulatedFileMedium;
import io.firn.spi.Block;
import io.firn.spi.TierContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The space of a seal, when its segment ends while the next one is reserved by another thread. */
class ReservedSealTest {
    private static final UUID TOPIC = new UUID(3, 4);
    private static final int SEGMENT_BYTES = 20_000;
    private static final Path ROOT = Path.of("/sim/segments");

    private final SimulatedFileMedium simulated = new SimulatedFileMedium();
    private final Interrupted medium = new Interrupted();

    /** Lets something happen at the moment at which the space of a seal is reserved. */
    private final class Interrupted extends FilterFileMedium {
        private Step beforeSeal;
        private Step afterSeal;

        Interrupted() {
            super(simulated);
        }

        @Override
        public MediumFile create(Path file) throws IOException {
            if (file.getFileName().toString().endsWith(".seal")) {
                Step before = beforeSeal;
                Step after = afterSeal;
                beforeSeal = null;
                afterSeal = null;
                if (before != null) {
                    before.run();
                }
                MediumFile created = super.create(file);
                if (after != null) {
                    after.run();
                }
                return created;
            }
            return super.create(file);
        }
    }

    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    private enum End {
        FINISHED,
        DELETED,
        DELETED_UNSEALED
    }

    private static void end(Block segment, End how) throws IOException {
        if (how == End.FINISHED) {
            segment.finishSeal(new byte[] {1}, new byte[] {2});
        } else {
            segment.delete();
        }
    }

    private List<String> reservedSeals() throws IOException {
        Path partition = ROOT.resolve(FileNames.topic(TOPIC)).resolve("0");
        return simulated.list(partition).stream().filter(name -> name.endsWith(".seal")).toList();
    }

    private Block unsealed(FileTier tier) throws IOException {
        Block segment = tier.reserve(TOPIC, 0, SEGMENT_BYTES, 1);
        segment.write(0, ByteBuffer.wrap(new byte[] {1}));
        segment.force(0, 1);
        segment.writeMark(segment.mark().active(1, 0, 1, 1));
        return segment;
    }

    private FileTier open() throws IOException {
        FileTier tier = FileTier.builder(ROOT).medium(medium).build();
        tier.open(new TierContext(new UUID(1, 2), true, false));
        return tier;
    }

    private void check(End how, boolean before) throws IOException {
        try (FileTier tier = open()) {
            Block first = unsealed(tier);
            if (how == End.DELETED_UNSEALED) {
                simulated.delete(
                        ROOT.resolve(FileNames.topic(TOPIC))
                                .resolve("0")
                                .resolve(FileNames.reservedSeal(1)));
            } else {
                first.seal(first.mark().sealed(1, 0, 1, 1, 77));
            }
            assertEquals(List.of(), reservedSeals());
            if (before) {
                medium.beforeSeal = () -> end(first, how);
            } else {
                medium.afterSeal = () -> end(first, how);
            }
            Block second = tier.reserve(TOPIC, 0, SEGMENT_BYTES, 2);
            assertEquals(List.of(FileNames.reservedSeal(2)), reservedSeals());
            second.delete();
            assertEquals(List.of(), reservedSeals());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldLeaveNoneWhenTheSegmentEndsBeforeItIsReserved(End how) throws IOException {
        check(how, true);
    }

    @ParameterizedTest
    @EnumSource
    void shouldLeaveNoneWhenTheSegmentEndsWhileItIsReserved(End how) throws IOException {
        check(how, false);
    }

    /** Readers in other processes would take it for one that is not sealed. */
    @Test
    void shouldReserveNoneForASegmentThatIsSealed() throws IOException {
        try (FileTier tier = open()) {
            Block first = unsealed(tier);
            first.seal(first.mark().sealed(1, 0, 1, 1, 77));
            Block second = tier.reserve(TOPIC, 0, SEGMENT_BYTES, 2);
            assertEquals(List.of(FileNames.reservedSeal(2)), reservedSeals());
            first.delete();
            assertEquals(List.of(FileNames.reservedSeal(2)), reservedSeals());
            second.delete();
        }
    }
}
