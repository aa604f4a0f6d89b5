package io.firn.force;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.ClosedException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Futures that wait for a durable offset. */
class DurableFuturesTest {
    private final DurableFutures futures = new DurableFutures();

    @Test
    void shouldCompleteOnlyWhatIsDurable() {
        CompletableFuture<Long> first = futures.add(5, null);
        CompletableFuture<Long> second = futures.add(6, null);
        futures.complete(5);
        assertEquals(5, first.join());
        assertFalse(second.isDone());
        assertTrue(futures.isAny());
        futures.complete(9);
        assertEquals(9, second.join());
        assertFalse(futures.isAny());
    }

    @Test
    void shouldFailAllThatWait() {
        CompletableFuture<Long> future = futures.add(5, null);
        futures.fail(new ClosedException("test"));
        Throwable e = assertThrows(CompletionException.class, future::join);
        assertEquals("test", e.getCause().getMessage());
        assertFalse(futures.isAny());
    }

    @Test
    void shouldFailOnlyWhatAClosedAppenderHasNotWritten() {
        CompletableFuture<Long> written = futures.add(5, null);
        CompletableFuture<Long> unwritten = futures.add(6, null);
        futures.failUnwritten(null, 5, new ClosedException("test"));
        assertFalse(written.isDone());
        assertTrue(unwritten.isCompletedExceptionally());
        assertTrue(futures.isAny());
    }

    /** A callback may ask for another future: no lock may be held, and nothing may be lost. */
    @Test
    void shouldLetACallbackAddAFuture() {
        CompletableFuture<CompletableFuture<Long>> added = new CompletableFuture<>();
        CompletableFuture<Void> told =
                futures.add(1, null).thenAccept(offset -> added.complete(futures.add(2, null)));
        futures.complete(1);
        told.join();
        assertTrue(futures.isAny());
        futures.complete(2);
        assertEquals(2, added.join().join());
    }
}
