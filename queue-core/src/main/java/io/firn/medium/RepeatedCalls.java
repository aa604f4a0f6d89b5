package io.firn.medium;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/**
 * Calls a file through a channel. Only a channel can write a buffer at a position with one call and
 * without a copy, but an interrupt of the calling thread closes a channel (O9). So the interrupt
 * status is taken away before the call and restored after it; an interrupt in between closes the
 * channel, and the call is repeated through another one: a write stores the same bytes at the same
 * place.
 *
 * <p>Opened by the first call, since most files are never written through it. Thread-safe.
 */
final class RepeatedCalls implements Closeable {
    private final Path path;
    private final OpenOption[] options;
    private volatile FileChannel channel;
    private Object fileKey;
    private boolean closed;

    /** Set without a call, for which there may be no stack. */
    private volatile boolean mayHang;

    /** Calls a file; {@code options} are those of {@link FileChannel#open}. */
    RepeatedCalls(Path path, OpenOption... options) {
        this.path = path;
        this.options = options;
    }

    /** What is done with the channel, once or several times. */
    @FunctionalInterface
    interface Call<T> {
        /** Makes the call. */
        T on(FileChannel channel) throws IOException;
    }

    /** Makes a call, and repeats it if an interrupt has closed the channel. */
    <T> T call(Call<T> call) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                FileChannel to = openChannel();
                try {
                    return call.on(to);
                } catch (ClosedChannelException e) {
                    interrupted |= Thread.interrupted(); // opening fails if it was closed for good
                } catch (StackOverflowError | IndexOutOfBoundsException e) {
                    mayHang = true;
                    throw e;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** As {@link #call}, without an object for each write. */
    void write(long position, ByteBuffer source) throws IOException {
        int from = source.position();
        boolean interrupted = Thread.interrupted();
        try {
            while (!tryWrite(position, source)) {
                interrupted |= Thread.interrupted();
                source.position(from);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns false when the channel was closed by an interrupt. */
    private boolean tryWrite(long position, ByteBuffer source) throws IOException {
        FileChannel to = openChannel();
        try {
            long at = position;
            while (source.hasRemaining()) {
                at += to.write(source, at);
            }
            return true;
        } catch (ClosedChannelException e) {
            return false; // opening it again fails if it was closed for good
        } catch (StackOverflowError | IndexOutOfBoundsException e) {
            // The channel's set of threads that write may still have this one, or never had it.
            mayHang = true;
            throw e;
        }
    }

    private FileChannel openChannel() throws IOException {
        FileChannel to = channel;
        return to == null || !to.isOpen() ? open() : to;
    }

    private synchronized FileChannel open() throws IOException {
        if (closed) {
            throw new IOException(path + " was closed, and cannot be used any more");
        }
        if (channel == null || !channel.isOpen()) {
            FileChannel opened = RegularFiles.openChannel(path, options);
            Object key = RegularFiles.attributesOf(path).fileKey();
            if (channel != null && key != null && !key.equals(fileKey)) {
                opened.close();
                throw new IOException(
                        path
                                + " is another file than it was: somebody else has replaced it;"
                                + " stop what touches the files and open the store again");
            }
            fileKey = key;
            channel = opened;
        }
        return channel;
    }

    /**
     * Closes it. A channel that would wait for a thread that left it without stack is dropped: its
     * descriptor is closed when it is collected.
     */
    @Override
    public synchronized void close() throws IOException {
        closed = true;
        if (channel != null && !mayHang) {
            channel.close();
        }
        channel = null;
    }
}
