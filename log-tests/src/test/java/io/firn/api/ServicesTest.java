package io.firn.api;

import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.ClosedException;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.ServiceAttachedException;
import io.firn.StoreService;
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
        Appender appender =
                store.createTopic("t", Stores.small()).partition(0).openSharedAppender();
        for (String name : List.of("a", "b", "c")) {
            store.attach(
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
            store.attach(first);
            store.attach(first);
            store.attach(new Service("other", "other", ended::incrementAndGet));
            ServiceAttachedException e =
                    assertThrows(ServiceAttachedException.class, () -> store.attach(second));
            assertTrue(e.getMessage().contains("first of 9092"), e::getMessage);
            store.detach(first);
            store.detach(first);
            store.attach(second);
            store.detach(second);
        }
        assertEquals(1, ended.get(), "only of what is attached");
    }

    @Test
    void shouldCloseAStoreWhoseServiceFailsAndThrowWhatItThrew() {
        LogStore store = Stores.at(directory).open();
        AtomicInteger ended = new AtomicInteger();
        store.attach(new Service("sound", null, ended::incrementAndGet));
        store.attach(
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
        assertThrows(ClosedException.class, () -> closed.attach(service));
        closed.detach(service);
        LogStore closing = Stores.at(directory).open();
        closing.attach(
                new Service(
                        "early",
                        null,
                        () -> assertThrows(ClosedException.class, () -> closing.attach(service))));
        closing.close();
        try (LogStore readOnly = Stores.at(directory).readOnly().open()) {
            assertThrows(InvalidOptionException.class, () -> readOnly.attach(service));
        }
    }
}
