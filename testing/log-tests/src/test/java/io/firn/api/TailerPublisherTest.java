package io.firn.api;

import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.ClosedException;
import io.firn.LogStore;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.UnknownTopicException;
import io.firn.stream.TailerPublisher;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records as a {@link Flow.Publisher}; {@link PublisherRulesTest} has the rules of such. */
class TailerPublisherTest {
    @TempDir private Path directory;
    private LogStore store;
    private Topic topic;

    @BeforeEach
    void open() {
        store = Stores.at(directory).open();
        topic = store.createTopic("t", Stores.small());
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void append(int count) {
        try (Appender appender = topic.partition(0).openAppender()) {
            for (int i = 0; i < count; i++) {
                appender.append(bytes("" + i));
            }
        }
    }

    /** Remembers what it was told. */
    private static class Listener implements Flow.Subscriber<StoredRecord> {
        final List<Long> offsets = new CopyOnWriteArrayList<>();
        volatile Flow.Subscription subscription;
        volatile Throwable error;
        volatile boolean isComplete;
        volatile Thread thread;

        @Override
        public void onSubscribe(Flow.Subscription value) {
            thread = Thread.currentThread();
            subscription = value;
        }

        @Override
        public void onNext(StoredRecord record) {
            offsets.add(record.offset());
        }

        @Override
        public void onError(Throwable value) {
            error = value;
        }

        @Override
        public void onComplete() {
            isComplete = true;
        }
    }

    private static <T extends Listener> T subscribed(TailerPublisher publisher, T listener) {
        publisher.subscribe(listener);
        Stores.await("the subscription", () -> listener.subscription != null);
        return listener;
    }

    private static void awaitCount(Listener listener, int count) {
        Stores.await(count + " records", () -> listener.offsets.size() >= count);
        assertEquals(count, listener.offsets.size());
    }

    private static void awaitEnd(Listener listener) {
        Stores.await("the end of the thread", () -> !listener.thread.isAlive());
    }

    @Test
    void shouldPublishAsManyAsWereRequestedAndWhatComesLater() {
        append(10);
        TailerPublisher publisher = TailerPublisher.of(topic::openTailer);
        Listener first = subscribed(publisher, new Listener());
        Listener second = subscribed(publisher, new Listener());
        first.subscription.request(3);
        awaitCount(first, 3);
        second.subscription.request(Long.MAX_VALUE);
        second.subscription.request(Long.MAX_VALUE);
        awaitCount(second, 10);
        first.subscription.request(2);
        first.subscription.request(1);
        awaitCount(first, 6);
        append(1);
        awaitCount(second, 11);
        assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 5L), first.offsets);
        assertNotSame(first.thread, second.thread);
        first.subscription.cancel();
        second.subscription.cancel();
        awaitEnd(first);
        awaitEnd(second);
        assertFalse(first.isComplete || second.isComplete);
    }

    @Test
    void shouldCompleteAtTheVisibleEndIfAsked() {
        append(5);
        AtomicInteger threads = new AtomicInteger();
        TailerPublisher publisher =
                TailerPublisher.of(topic::openTailer)
                        .withEndAtVisibleEnd()
                        .withThreadFactory(
                                work -> new Thread(work, "own-" + threads.incrementAndGet()));
        Listener listener = subscribed(publisher, new Listener());
        listener.subscription.request(6);
        awaitEnd(listener);
        assertTrue(listener.isComplete);
        assertEquals(5, listener.offsets.size());
        assertEquals("own-1", listener.thread.getName());
    }

    @Test
    void shouldPassOnWhatThePollThrows() {
        Listener listener = subscribed(TailerPublisher.of(topic::openTailer), new Listener());
        listener.subscription.request(1);
        store.deleteTopic("t");
        awaitEnd(listener);
        assertInstanceOf(UnknownTopicException.class, listener.error);
        Listener late = subscribed(TailerPublisher.of(topic::openTailer), new Listener());
        awaitEnd(late);
        assertInstanceOf(UnknownTopicException.class, late.error, "of the opening");
    }

    @Test
    void shouldEndWithItsStoreAlsoWhereNothingIsRequested() throws Exception {
        AtomicInteger opened = new AtomicInteger();
        TailerPublisher publisher =
                TailerPublisher.of(
                        () -> {
                            Tailer tailer = topic.openTailer();
                            opened.incrementAndGet();
                            return tailer;
                        });
        Listener listener = subscribed(publisher, new Listener());
        Stores.await("its tailer", () -> opened.get() == 1);
        store.close();
        Stores.await("the error", () -> listener.error != null);
        assertInstanceOf(ClosedException.class, listener.error);
        listener.thread.join();
    }

    @Test
    void shouldEndWithAnErrorWhenItsThreadIsInterruptedOrThereIsNone() {
        Listener listener = subscribed(TailerPublisher.of(topic::openTailer), new Listener());
        listener.thread.interrupt();
        awaitEnd(listener);
        assertInstanceOf(InterruptedException.class, listener.error);
        Listener refused = new Listener();
        TailerPublisher.of(topic::openTailer).withThreadFactory(work -> null).subscribe(refused);
        assertInstanceOf(IllegalStateException.class, refused.error);
        assertSame(Thread.currentThread(), refused.thread);
    }

    @Test
    void shouldAdvanceACursorBehindWhatTheSubscriberHasTaken() {
        append(10);
        TailerPublisher publisher =
                TailerPublisher.of(
                        () -> topic.openTailer(TailerOptions.at("c").withCommitEvery(1)));
        Listener failing =
                new Listener() {
                    @Override
                    public void onNext(StoredRecord record) {
                        if (record.offset() == 4) {
                            throw new IllegalArgumentException("on purpose, against the rules");
                        }
                        super.onNext(record);
                    }
                };
        subscribed(publisher.withThreadFactory(TailerPublisherTest::silent), failing);
        failing.subscription.request(10);
        awaitEnd(failing);
        assertEquals(4, topic.cursor("c").offset(0));
        Listener next =
                new Listener() {
                    @Override
                    public void onNext(StoredRecord record) {
                        super.onNext(record);
                        if (record.offset() == 6) {
                            subscription.cancel();
                        }
                    }
                };
        subscribed(publisher, next);
        next.subscription.request(10);
        awaitEnd(next);
        assertEquals(List.of(4L, 5L, 6L), next.offsets);
        assertEquals(7, topic.cursor("c").offset(0));
    }

    /** A thread that does not print what ended it. */
    private static Thread silent(Runnable work) {
        Thread thread = new Thread(work, "silent");
        thread.setUncaughtExceptionHandler((dead, why) -> {});
        return thread;
    }

    @Test
    void shouldPassOnAnErrorOfTheTailer() {
        append(1);
        Error missing = new NoClassDefFoundError("of a codec");
        TailerPublisher publisher =
                TailerPublisher.of(
                        () -> {
                            throw missing;
                        });
        Listener listener = subscribed(publisher, new Listener());
        awaitEnd(listener);
        assertSame(missing, listener.error);
    }
}
