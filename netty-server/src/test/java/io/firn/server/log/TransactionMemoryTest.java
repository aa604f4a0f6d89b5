package io.firn.server.log;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Partition;
import io.firn.Transaction.State;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.NamedProducer;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TransactionMemoryTest {
    private record Shown(
            String name,
            ProducerIdentity identity,
            Duration timeout,
            State state,
            List<Partition> partitions,
            Optional<Instant> startTime)
            implements NamedProducer {}

    private final Map<String, State> states = new HashMap<>();
    private final TransactionMemory memory = new TransactionMemory(coordinator(), 1_000);

    private TransactionCoordinator coordinator() {
        return (TransactionCoordinator)
                Proxy.newProxyInstance(
                        TransactionCoordinator.class.getClassLoader(),
                        new Class<?>[] {TransactionCoordinator.class},
                        (proxy, method, arguments) ->
                                switch (method.getName()) {
                                    case "producers" ->
                                            states.keySet().stream().map(this::find).toList();
                                    case "journalBytes" -> 100L;
                                    default -> find((String) arguments[0]);
                                });
    }

    private NamedProducer find(String name) {
        return new Shown(
                name,
                new ProducerIdentity(1, 0),
                Duration.ofMinutes(1),
                states.getOrDefault(name, State.ONGOING),
                List.of(),
                Optional.empty());
    }

    @Test
    void shouldLeaveRoomForOthersWhenAClientHasUsedItsShare() {
        assertTrue(memory.add("a", "attacker", 300));
        assertTrue(memory.add("b", "attacker", 200));
        assertFalse(memory.add("c", "attacker", 1));
        assertFalse(memory.add("a", "attacker", 1));
        assertTrue(memory.add("d", "bystander", 500));
    }

    @Test
    void shouldCountForWhoBeganTheTransaction() {
        assertTrue(memory.add("a", "attacker", 500));
        assertFalse(memory.add("a", "somebody else", 1));
    }

    @Test
    void shouldHaveRoomAgainWhenATransactionHasEndedOrTookNothing() {
        assertTrue(memory.add("a", "attacker", 500));
        memory.forget("a");
        assertTrue(memory.add("b", "attacker", 500));
        memory.giveBack("b", 500);
        assertTrue(memory.add("c", "attacker", 500));
        memory.giveBack("b", 500);
        assertFalse(memory.add("c", "attacker", 1));
    }

    @Test
    void shouldGiveBackNoMoreThanTheNextTransactionOfTheNameHasTaken() {
        assertTrue(memory.add("a", "attacker", 300));
        memory.forget("a");
        assertTrue(memory.add("a", "attacker", 100));
        assertTrue(memory.add("b", "attacker", 400));
        memory.giveBack("a", 300); // late
        assertTrue(memory.add("c", "attacker", 100));
        assertFalse(memory.add("c", "attacker", 1));
    }

    @Test
    void shouldCountWhatIsOpenAtTheStartUntilItEnds() {
        for (int i = 0; i < 4; i++) {
            states.put("found-" + i, State.ONGOING);
        }
        states.put("ended", State.ABORTED);
        TransactionMemory next = new TransactionMemory(coordinator(), 1_000);
        assertTrue(next.add("a", "client", 200)); // beside 800
        assertFalse(next.add("b", "client", 1));
        next.forget("found-0");
        assertTrue(next.add("b", "client", 200));
    }

    @Test
    void shouldNoticeTransactionsWhoseTimeWasOut() {
        assertTrue(memory.add("a", "attacker", 400));
        assertTrue(memory.add("b", "attacker", 100));
        states.put("a", State.ABORTED);
        assertTrue(memory.add("c", "attacker", 400));
    }
}
