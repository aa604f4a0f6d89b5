package io.firn.bench;

import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.HdrHistogram.Histogram;

/**
 * Sends messages at a fixed rate on one thread and receives them on another. A message carries the
 * moment at which it was due, not the one at which it was sent. A sender that lags makes its
 * messages late, which corrects the percentiles for coordinated omission.
 */
final class Pace {
    static final int MESSAGES = 100_000;
    static final long INTERVAL_NS = 10_000;
    private static final long MAX_NS = 10_000_000_000L;

    private final Histogram histogram = new Histogram(MAX_NS, 3);
    private final ByteBuffer received;

    Pace(int messageBytes) {
        received = ByteBuffer.allocate(messageBytes);
    }

    /** Sends a message. */
    interface Sender {
        /** Sends a message; its buffer may be reused afterwards. */
        void send(byte[] message);
    }

    /** Polls for messages and passes each to {@link Pace#onMessage}. */
    interface Receiver {
        /** Returns how many messages there were, without waiting. */
        int poll();
    }

    /** Returns the buffer into which a receiver copies a message before {@link #onMessage}. */
    byte[] target() {
        return received.array();
    }

    /** Records that a message is in {@link #target}. */
    void onMessage() {
        histogram.recordValue(Math.min(System.nanoTime() - received.getLong(0), MAX_NS));
    }

    /** Sends and receives all messages; returns when the last one was received. */
    Histogram run(Sender sender, Receiver receiver) throws InterruptedException {
        histogram.reset();
        FutureTask<Void> sending = new FutureTask<>(() -> send(sender), null);
        Thread thread = new Thread(sending, "sender");
        thread.start();
        int left = MESSAGES;
        while (left > 0) {
            boolean over = sending.isDone();
            int n = receiver.poll();
            left -= n;
            if (n == 0) {
                if (over) {
                    break; // it failed
                }
                Thread.onSpinWait();
            }
        }
        try {
            sending.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the sender failed", e.getCause());
        }
        return histogram;
    }

    private void send(Sender sender) {
        byte[] message = Values.ofLength(received.capacity());
        ByteBuffer fields = ByteBuffer.wrap(message);
        long due = System.nanoTime();
        for (int i = 0; i < MESSAGES; i++) {
            due += INTERVAL_NS;
            while (System.nanoTime() - due < 0) {
                Thread.onSpinWait();
            }
            fields.putLong(0, due);
            sender.send(message);
        }
    }
}
