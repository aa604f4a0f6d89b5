package io.firn.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ViewTest {
    private final AtomicInteger releases = new AtomicInteger();
    private final View view =
            new View(ByteBuffer.allocate(1), handedOut -> releases.incrementAndGet());

    @Test
    void shouldBeReleasedOnceWhenRetiredAndFreeOfPins() {
        assertTrue(view.pin());
        assertTrue(view.pin());
        assertFalse(view.tryRelease(), "not retired");
        view.retire();
        view.retire();
        assertFalse(view.pin(), "retired");
        assertFalse(view.tryRelease(), "pinned");
        view.unpin();
        assertTrue(view.isPinned());
        view.unpin();
        assertFalse(view.isPinned());
        assertEquals(0, releases.get(), "the owner releases it");
        assertTrue(view.tryRelease());
        assertTrue(view.tryRelease());
        assertFalse(view.pin());
        assertEquals(1, releases.get());
    }

    @Test
    void shouldBeReleasedByWhoeverLetsGoLastWhenItsOwnerLeft() {
        view.pin();
        view.pin();
        view.leave();
        view.leave();
        assertFalse(view.pin());
        assertFalse(view.tryRelease());
        view.unpin();
        assertEquals(0, releases.get());
        assertTrue(view.isPinned());
        view.unpin();
        assertEquals(1, releases.get());
        assertFalse(view.isPinned());
        assertTrue(view.tryRelease());
        view.leave();
        assertFalse(view.pin());
        assertEquals(1, releases.get());
    }

    @Test
    void shouldBeReleasedAtOnceWhenItsOwnerLeavesAndNobodyHoldsIt() {
        view.leave();
        assertEquals(1, releases.get());
    }

    @Test
    void shouldBeReleasedExactlyOnceWhateverMeets() throws Exception {
        for (int round = 0; round < 500; round++) {
            AtomicInteger released = new AtomicInteger();
            View contended =
                    new View(ByteBuffer.allocate(1), handedOut -> released.incrementAndGet());
            List<FutureTask<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                boolean owner = i == 0;
                FutureTask<Void> task =
                        new FutureTask<>(
                                () -> {
                                    if (owner) {
                                        contended.leave();
                                    } else {
                                        pinAndUnpin(contended, released);
                                    }
                                    return null;
                                });
                tasks.add(task);
            }
            run(tasks);
            assertEquals(1, released.get(), "in round " + round);
        }
    }

    private static void pinAndUnpin(View contended, AtomicInteger released) {
        for (int n = 0; n < 20; n++) {
            if (contended.pin()) {
                assertEquals(0, released.get(), "released while it was pinned");
                contended.unpin();
            }
        }
    }

    private static void run(List<FutureTask<Void>> tasks)
            throws InterruptedException, ExecutionException {
        List<Thread> threads = tasks.stream().map(Thread::new).toList();
        threads.forEach(Thread::start);
        for (FutureTask<Void> task : tasks) {
            task.get();
        }
    }
}
