package io.firn.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import io.firn.spi.Block;
import io.firn.spi.BlockCopy;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The directories of a deleted topic: they go when they are empty, and only then. */
class ForgottenTopicTest {
    private static final UUID STORE = new UUID(1, 2);
    private static final UUID TOPIC = new UUID(3, 4);
    private static final UUID OTHER = new UUID(5, 6);
    private static final Path ROOT = Path.of("/tier");
    private static final Path OF_TOPIC = ROOT.resolve(FileNames.topic(TOPIC));

    private final SimulatedFileMedium medium = new SimulatedFileMedium();

    private static FileTier open(SimulatedFileMedium on, boolean readOnly) throws IOException {
        FileTier tier = FileTier.at(ROOT).withMedium(on);
        tier.open(new TierContext(STORE, !readOnly, readOnly));
        return tier;
    }

    /** Three partitions: an active segment, nothing any more, and one that was rewritten. */
    private static void fillAndEmpty(FileTier tier) throws IOException {
        tier.reserve(OTHER, 0, 20_000, 1);
        Block active = tier.reserve(TOPIC, 0, 20_000, 2);
        tier.reserve(TOPIC, 10, 20_000, 3).delete();
        Mark sealed = new Mark(SegmentState.SEALED, TOPIC, 11, 4, 0, 10, 9, 77, 2, 1, 9);
        BlockCopy copy = tier.beginCopy(sealed, 4);
        copy.write(0, new byte[10], 0, 10);
        copy.force();
        Block rewritten = copy.publish(sealed, new byte[0], new byte[0]);
        rewritten.delete();
        active.delete();
    }

    private static void assertOnlyOther(SimulatedFileMedium on) throws IOException {
        List<String> names = new ArrayList<>(on.list(ROOT));
        names.removeAll(FileNames.atRoot());
        assertEquals(List.of(FileNames.topic(OTHER)), names);
    }

    @Test
    void shouldRemoveTheEmptyDirectoriesOfOneTopic() throws IOException {
        try (FileTier tier = open(medium, false)) {
            fillAndEmpty(tier);
            assertEquals(List.of("0", "10", "11"), medium.list(OF_TOPIC));
            tier.forgetTopic(TOPIC);
            assertOnlyOther(medium);
            tier.forgetTopic(TOPIC);
            // Nothing of it is remembered either: its names are made durable again.
            tier.reserve(TOPIC, 0, 20_000, 5);
            SimulatedFileMedium left = medium.crash(Survival.NONE);
            try (FileTier again = open(left, false)) {
                assertEquals(1, again.list(TOPIC, 0).size());
            }
        }
    }

    @Test
    void shouldKeepWhatIsNotItsOwnAndTheDirectoriesAboveIt() throws IOException {
        try (FileTier tier = open(medium, false)) {
            fillAndEmpty(tier);
            medium.create(OF_TOPIC.resolve("10").resolve("notes.txt")).close();
            medium.createDirectories(OF_TOPIC.resolve("11").resolve("kept"));
            medium.create(OF_TOPIC.resolve("12")).close();
            medium.createDirectories(OF_TOPIC.resolve("empty"));
            tier.forgetTopic(TOPIC);
            assertEquals(List.of("10", "11", "12", "empty"), medium.list(OF_TOPIC));
            assertEquals(List.of("notes.txt"), medium.list(OF_TOPIC.resolve("10")));
            assertEquals(List.of("kept"), medium.list(OF_TOPIC.resolve("11")));
        }
    }

    @Test
    void shouldKeepSegmentsThatAreStillThere() throws IOException {
        try (FileTier tier = open(medium, false)) {
            fillAndEmpty(tier);
            tier.reserve(TOPIC, 0, 20_000, 6);
            tier.forgetTopic(TOPIC);
            assertEquals(List.of("0"), medium.list(OF_TOPIC));
            assertEquals(1, tier.list(TOPIC, 0).size());
        }
    }

    @Test
    void shouldOpenWithoutAFindingWhereverThePowerWasCut() throws IOException {
        List<SimulatedFileMedium> left = new ArrayList<>();
        try (FileTier tier = open(medium, false)) {
            fillAndEmpty(tier);
            medium.onOperation(
                    number -> {
                        for (int i = 0; i < 20; i++) {
                            left.add(medium.crash(Survival.random(31L * number + i)));
                        }
                        left.add(medium.crash(Survival.ALL));
                        left.add(medium.crash(Survival.NONE));
                    });
            tier.forgetTopic(TOPIC);
            medium.onOperation(number -> {});
            left.add(medium.crash(Survival.NONE));
        }
        assertTrue(left.size() > 22 * 4, left.size() + " images");
        for (SimulatedFileMedium each : left) {
            try (FileTier again = open(each, true)) {
                assertEquals(List.of(), again.strangers());
            }
            try (FileTier again = open(each, false)) {
                assertEquals(List.of(), again.strangers());
                assertEquals(1, again.list().size());
                assertOnlyOther(each);
            }
        }
    }

    @Test
    void shouldBeListedByReadersInOtherProcessesMeanwhile() throws IOException {
        try (FileTier tier = open(medium, false);
                FileTier reader = open(medium, true)) {
            fillAndEmpty(tier);
            assertEquals(1, reader.list().size());
            int[] looks = {0};
            medium.onOperation(
                    number -> {
                        looks[0]++;
                        try {
                            assertEquals(1, reader.list().size());
                            assertEquals(List.of(), reader.list(TOPIC, 10));
                            assertNull(reader.find(TOPIC, 10, 3));
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    });
            tier.forgetTopic(TOPIC);
            medium.onOperation(number -> {});
            assertTrue(looks[0] >= 4);
            assertEquals(List.of(), reader.strangers());
        }
    }

    @Test
    void shouldRemoveWhatAFailureLeftAtTheNextOpen() throws IOException {
        try (FileTier tier = open(medium, false)) {
            fillAndEmpty(tier);
            medium.faults().refuseChanges(path -> path.startsWith(OF_TOPIC));
            assertThrows(IOException.class, () -> tier.forgetTopic(TOPIC));
            medium.faults().none();
            assertFalse(medium.list(OF_TOPIC).isEmpty());
        }
        try (FileTier again = open(medium, false)) {
            assertOnlyOther(medium);
            assertEquals(1, again.list().size());
        }
    }
}
