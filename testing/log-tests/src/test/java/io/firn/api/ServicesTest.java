package io.firn.api;

import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.ClosedException;
import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.host.HostedStore;
import io.firn.host.ServiceAttachedException;
import io.firn.host.StoreService;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is built on a store and ends with it. */
class ServicesTest {
    @TempDir private Path directory;

    /** A service of a role, which does something when the store closes. */
    private record Service(String name, String role, Runnable end) implements StoreService {
        @Override
        public void onStoreClosing() {
            end.run();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    @Test
    void shouldEndServicesBeforeTheStoreTheLastOneFirst() {
        List<String> ended = new ArrayList<>();
        LogStore store = Stores.at(directory).open();
        Appender appender = store.createTopic("t", Stores.small()).partition(0).openAppender();
        for (String name : List.of("a", "b", "c")) {
            HostedStore.of(store)
                    .attach(
                            new Service(
                                    name,
                                    null,
                                    () -> {
                                        appender.append(bytes(name)); // the store is still open
                                        ended.add(name);
                                        store.close(); // has no effect
                                    }));
        }
        store.close();
        store.close();
        assertEquals(List.of("c", "b", "a"), ended);
        assertThrows(ClosedException.class, () -> appender.append(bytes("d")));
    }

    @Test
    void shouldLetOneServiceHaveARoleUntilItIsDetached() {
        AtomicInteger ended = new AtomicInteger();
        try (LogStore store = Stores.at(directory).open()) {
            Service first = new Service("first of 9092", "server", ended::incrementAndGet);
            Service second = new Service("second", "server", ended::incrementAndGet);
            HostedStore.of(store).attach(first);
            HostedStore.of(store).attach(first);
            HostedStore.of(store).attach(new Service("other", "other", ended::incrementAndGet));
            ServiceAttachedException e =
                    assertThrows(
                            ServiceAttachedException.class,
                            () -> HostedStore.of(store).attach(second));
            assertTrue(e.getMessage().contains("first of 9092"), e::getMessage);
            HostedStore.of(store).detach(first);
            HostedStore.of(store).detach(first);
            HostedStore.of(store).attach(second);
            HostedStore.of(store).detach(second);
        }
        assertEquals(1, ended.get(), "only of what is attached");
    }

    @Test
    void shouldCloseAStoreWhoseServiceFailsAndThrowWhatItThrew() {
        LogStore store = Stores.at(directory).open();
        AtomicInteger ended = new AtomicInteger();
        HostedStore.of(store).attach(new Service("sound", null, ended::incrementAndGet));
        HostedStore.of(store)
                .attach(
                        new Service(
                                "bad",
                                null,
                                () -> {
                                    throw new IllegalArgumentException("by test");
                                }));
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, store::close);
        assertEquals("by test", e.getMessage());
        assertEquals(1, ended.get());
        Stores.at(directory).open().close();
    }

    @Test
    void shouldAttachNothingToAStoreThatIsClosedOrOpenReadOnly() {
        Service service = new Service("late", null, () -> {});
        LogStore closed = Stores.at(directory).open();
        closed.close();
        assertThrows(ClosedException.class, () -> HostedStore.of(closed).attach(service));
        HostedStore.of(closed).detach(service);
        LogStore closing = Stores.at(directory).open();
        HostedStore.of(closing)
                .attach(
                        new Service(
                                "early",
                                null,
                                () ->
                                        assertThrows(
                                                ClosedException.class,
                                                () -> HostedStore.of(closing).attach(service))));
        closing.close();
        try (LogReader readOnly = Stores.at(directory).openReadOnly()) {
            assertThrows(
                    InvalidOptionException.class, () -> HostedStore.of(readOnly).attach(service));
        }
    }
}
