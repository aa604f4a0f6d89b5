package io.firn.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The directories of the first segments of a topic's partitions: their names are durable. */
class NewDirectoriesTest {
    private static final UUID TOPIC = new UUID(3, 4);
    private static final int SEGMENT_BYTES = 20_000;
    private static final Path ROOT = Path.of("/tier");

    private static FileTier open(SimulatedFileMedium on) throws IOException {
        FileTier tier = FileTier.at(ROOT).withMedium(on);
        tier.open(new TierContext(new UUID(1, 2), true, false));
        return tier;
    }

    private static void checkKept(SimulatedFileMedium medium, int partitions) throws IOException {
        try (FileTier again = open(medium.crash(Survival.NONE))) {
            for (int i = 0; i < partitions; i++) {
                assertEquals(1, again.list(TOPIC, i).size(), "partition " + i);
            }
        }
    }

    @Test
    void shouldKeepTheSegmentsOfSeveralPartitionsOfATopicWhenThePowerIsCut() throws IOException {
        SimulatedFileMedium medium = new SimulatedFileMedium();
        try (FileTier tier = open(medium)) {
            tier.reserve(TOPIC, 0, SEGMENT_BYTES, 1);
            tier.reserve(TOPIC, 1, SEGMENT_BYTES, 2);
            checkKept(medium, 2);
        }
    }

    /** What an earlier try has created is not known to be durable. */
    @Test
    void shouldMakeNamesDurableAgainAfterATryThatFailedAnywhere() throws IOException {
        for (int step = 1; ; step++) {
            SimulatedFileMedium medium = new SimulatedFileMedium();
            try (FileTier tier = open(medium)) {
                int failing = medium.operations() + step;
                medium.faults().failOperations(number -> number == failing);
                try {
                    tier.reserve(TOPIC, 0, SEGMENT_BYTES, 1);
                    assertTrue(medium.operations() < failing);
                    return;
                } catch (IOException e) {
                    medium.faults().none();
                }
                tier.reserve(TOPIC, 0, SEGMENT_BYTES, 2);
                tier.reserve(TOPIC, 1, SEGMENT_BYTES, 3);
                checkKept(medium, 2);
            }
        }
    }
}
