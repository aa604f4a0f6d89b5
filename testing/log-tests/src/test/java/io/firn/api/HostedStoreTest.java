package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.host.BatchRun;
import io.firn.host.HostedAppender;
import io.firn.host.HostedPartition;
import io.firn.host.HostedStore;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The view that servers and replicas have of a store, see {@link HostedStore}. */
class HostedStoreTest {
    @TempDir private Path directory;

    @Test
    void shouldLetAHostCopyWholeBatchesFromOnePartitionToAnother() {
        try (LogStore store = Stores.at(directory).open()) {
            Partition from = store.createTopic("from", Stores.small()).partition(0);
            Partition to = store.createTopic("to", Stores.small()).partition(0);
            try (HostedAppender source = HostedPartition.of(from).openAppender();
                    HostedAppender target = HostedAppender.of(to.openAppender())) {
                source.append(from.topic().newBatch().add(new byte[] {1}).add(new byte[] {2}));
                try (BatchRun run =
                        HostedPartition.of(from).openBatchReader().read(0, 4096, true)) {
                    assertEquals(0, target.appendBatch(run.bytes()));
                }
            }
            assertEquals(2, to.nextOffset());
            HostedStore host = HostedStore.of(store);
            assertNotEquals(host.newProducerId(), host.newProducerId());
        }
    }

    @Test
    void shouldRefuseAStoreThatFirnDidNotOpen() {
        LogStore wrapped =
                (LogStore)
                        Proxy.newProxyInstance(
                                LogStore.class.getClassLoader(),
                                new Class<?>[] {LogStore.class},
                                (proxy, method, args) -> null);
        InvalidOptionException refused =
                assertThrows(InvalidOptionException.class, () -> HostedStore.of(wrapped));
        assertTrue(refused.getMessage().contains("unwrap it"), refused::getMessage);
    }

    @Test
    void shouldShowApplicationsNothingThatIsForHosts() {
        List<String> found =
                Stream.of(
                                LogStore.class,
                                Partition.class,
                                io.firn.Topic.class,
                                io.firn.Appender.class)
                        .flatMap(type -> Arrays.stream(type.getMethods()))
                        .map(Method::toGenericString)
                        .filter(method -> method.contains("io.firn.host"))
                        .toList();
        assertEquals(List.of(), found);
    }
}
