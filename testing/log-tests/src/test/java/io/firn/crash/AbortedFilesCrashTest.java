package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Transaction;
import io.firn.host.HostedPartition;
import io.firn.kill.Flaws;
import io.firn.sim.FirstRunOnly;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Power cuts and kills at every operation while many aborted transactions are moved from the
 * checkpoint of the producers into files of their own, and while these files are deleted: no
 * checkpoint relies on a file that is not durable, and no aborted record is shown.
 */
@FirstRunOnly
class AbortedFilesCrashTest {
    private static final int ABORTED = 1_050;
    private static final int ROUNDS = 2;

    private final Simulation simulation = new Simulation(new SimulatedFileMedium());
    private final SimulatedFileMedium medium = simulation.medium;
    private final List<String> failures = new ArrayList<>();
    private int looks;
    private int rounds;

    @BeforeAll
    static void silence() {
        Simulation.silenceLog();
    }

    private static void append(LogStore store, boolean commits) {
        Partition partition = store.openTopic("t").partition(0);
        try (Transaction tx = store.beginTransaction()) {
            tx.append(partition, partition.topic().newBatch().add(new byte[] {1}));
            if (commits) {
                tx.commit();
            }
        }
    }

    @Test
    void shouldShowNoAbortedRecordWhenPowerIsCutWhileTheyAreFiled() throws IOException {
        LogStore store = simulation.open();
        store.createTopic("t", Simulation.SMALL);
        for (rounds = 1; rounds <= ROUNDS; rounds++) {
            for (int i = 0; i < ABORTED; i++) {
                append(store, false);
            }
            append(store, true);
            medium.onOperation(this::look);
            simulation.pass(store, 2_000);
            medium.ignoreOperations();
        }
        Path topics = Simulation.DIRECTORY.resolve("topics");
        Path topic = topics.resolve(store.openTopic("t").id().toString());
        assertEquals(
                ROUNDS,
                medium.list(topic).stream().filter(name -> name.startsWith("aborted-")).count());
        assertEquals(List.of(), failures);
        assertTrue(looks > 20, looks + " looks");
    }

    private void look(int operation) {
        if (failures.isEmpty()) {
            look(operation, "a power cut", medium.crash(Survival.NONE));
            look(operation, "a kill", medium.kill());
            look(operation, "a torn cut", medium.crash(Survival.random(operation)));
            look(operation, "names", medium.crash(Survival.NAMES));
            look(operation, "bytes", medium.crash(Survival.BYTES));
        }
    }

    private void look(int operation, String how, SimulatedFileMedium left) {
        looks++;
        try {
            Simulation again = new Simulation(left);
            again.clock.update(simulation.clock.time());
            LogStore store = again.open();
            assertEquals(List.of(), Flaws.of(store));
            Partition partition = store.openTopic("t").partition(0);
            assertEquals(
                    rounds * ABORTED,
                    HostedPartition.of(partition).abortedTransactions(0, Long.MAX_VALUE).size());
            assertEquals(rounds, count(partition), "records that are shown");
        } catch (RuntimeException | AssertionError e) {
            failures.add(how + " after " + medium.history().get(operation - 1) + ": " + e);
        }
    }

    private static int count(Partition partition) {
        int[] count = {0};
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.poll(
                            record -> {
                                count[0]++;
                                return Action.CONTINUE;
                            },
                            100)
                    > 0) {
                continue;
            }
        }
        return count[0];
    }
}
