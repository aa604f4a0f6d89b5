package io.firn.medium;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writes buffers at positions of a file. Only a channel can do this with one call and without a
 * copy, but an interrupt of the calling thread closes a channel (O9). So the interrupt status is
 * taken away before the call and restored after it; an interrupt in between closes the channel, and
 * the write is repeated through another one, which stores the same bytes at the same place.
 *
 * <p>Opened by the first write, since most files are never written through it. Thread-safe.
 */
final class WriteChannel implements Closeable {
    private final Path path;
    private volatile FileChannel channel;
    private Object fileKey;
    private boolean closed;

    /** Set without a call, for which there may be no stack. */
    private volatile boolean mayHang;

    WriteChannel(Path path) {
        this.path = path;
    }

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
        FileChannel to = channel;
        if (to == null || !to.isOpen()) {
            to = open();
        }
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

    private synchronized FileChannel open() throws IOException {
        if (closed) {
            throw new IOException(path + " was closed, and cannot be written any more");
        }
        if (channel == null || !channel.isOpen()) {
            FileChannel opened = RegularFiles.openChannel(path, StandardOpenOption.WRITE);
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
