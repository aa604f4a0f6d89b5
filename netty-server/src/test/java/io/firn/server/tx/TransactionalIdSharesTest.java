package io.firn.server.tx;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.LimitExceededException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Transaction.State;
import io.firn.file.FileTier;
import io.firn.host.HostedStore;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.NamedProducer;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransactionalIdSharesTest {
    private record Shown(
            String name,
            ProducerIdentity identity,
            Duration timeout,
            State state,
            List<Partition> partitions,
            Optional<Instant> startTime)
            implements NamedProducer {}

    private static final NamedProducer NOBODY =
            new Shown(
                    "nobody",
                    new ProducerIdentity(1, 0),
                    Duration.ofMinutes(1),
                    State.ONGOING,
                    List.of(),
                    Optional.empty());

    @TempDir private Path directory;

    private static void open(
            TransactionalIdShares names,
            TransactionCoordinator coordinator,
            String name,
            String owner) {
        names.onOpen(name, owner);
        coordinator.open(name, Duration.ofSeconds(1), null);
    }

    @Test
    void shouldLeaveNamesForOthersWhenOneClientOpensAllItCan() {
        try (LogStore store =
                LogStore.at(directory).tier(FileTier.at(directory.resolve("segments"))).open()) {
            TransactionCoordinator coordinator = HostedStore.of(store).transactions();
            coordinator.open("before", Duration.ofSeconds(1), null);
            TransactionalIdShares names = new TransactionalIdShares(coordinator, 4);
            open(names, coordinator, "before", "greedy");
            open(names, coordinator, "a", "greedy");
            open(names, coordinator, "b", "greedy");
            assertThrows(LimitExceededException.class, () -> names.onOpen("c", "greedy"));
            open(names, coordinator, "b", "greedy");
            open(names, coordinator, "b", "other");
            open(names, coordinator, "c", "other");
            open(names, coordinator, "d", "other");
            assertThrows(LimitExceededException.class, () -> names.onOpen("e", "third"));
        }
    }

    @Test
    void shouldShareOnlyTheNamesThatWereFreeAtTheStart() {
        List<Object> before = Collections.nCopies(TransactionalIdShares.mostNames() - 2, null);
        Set<Object> opened = new HashSet<>();
        TransactionCoordinator coordinator =
                (TransactionCoordinator)
                        Proxy.newProxyInstance(
                                TransactionCoordinator.class.getClassLoader(),
                                new Class<?>[] {TransactionCoordinator.class},
                                (proxy, method, arguments) -> {
                                    if (method.getName().equals("producers")) {
                                        return before;
                                    }
                                    return opened.contains(arguments[0]) ? NOBODY : null;
                                });
        TransactionalIdShares names = new TransactionalIdShares(coordinator);
        names.onOpen("a", "greedy");
        opened.add("a");
        assertThrows(LimitExceededException.class, () -> names.onOpen("b", "greedy"));
    }

    @Test
    void shouldCountNoNameThatWasRefusedOrThatTheStoreHasForgotten() {
        try (LogStore store =
                LogStore.at(directory).tier(FileTier.at(directory.resolve("segments"))).open()) {
            TransactionalIdShares names =
                    new TransactionalIdShares(HostedStore.of(store).transactions(), 4);
            names.onOpen("refused", "client");
            names.onRefused("refused");
            names.onOpen("a", "client"); // as if it had expired since
            names.onOpen("b", "client");
            open(names, HostedStore.of(store).transactions(), "c", "client");
            open(names, HostedStore.of(store).transactions(), "d", "client");
            assertThrows(LimitExceededException.class, () -> names.onOpen("e", "client"));
        }
    }
}
