package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.StoreOpenException;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.sim.SimulatedFileMedium;
import org.junit.jupiter.api.Test;

/** What the journal has decided for a topic whose file cannot be read for a while (O13). */
class UnreadableDecisionsTest {
    private static final String CURSOR = "reader";

    @Test
    void shouldKeepADecidedMoveOfACursorWhileItsTopicCannotBeRead() {
        Simulation before = new Simulation(new SimulatedFileMedium());
        LogStore store = before.open();
        Topic topic = store.createTopic("t", Simulation.SMALL);
        store.createTopic("other", Simulation.SMALL);
        Transaction transaction = store.beginTransaction();
        transaction.append(topic.partition(0), new byte[] {1});
        transaction.append(store.openTopic("other").partition(0), new byte[] {2});
        transaction.commitCursor(topic.cursor(CURSOR), 0, 1);
        transaction.commit();
        String file = topic.id() + "/topic";

        Simulation blind = new Simulation(before.medium.kill());
        blind.medium.faults().failReads(path -> path.toString().endsWith(file));
        StoreOpenException refusal = assertThrows(StoreOpenException.class, blind::open);
        assertTrue(refusal.getMessage().contains(file), refusal.getMessage());

        Simulation after = new Simulation(blind.medium.kill());
        try (LogStore again = after.open()) {
            assertEquals(1, again.openTopic("t").cursor(CURSOR).offset(0));
            assertEquals(
                    again.openTopic("t").partition(0).nextOffset(),
                    again.openTopic("t").partition(0).visibleOffset());
        }
    }
}
