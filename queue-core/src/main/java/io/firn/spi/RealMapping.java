package io.firn.spi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Bytes of a file of this machine, mapped. */
final class RealMapping implements Mapping {
    private static final int PAGE = 4096;

    private final Path path;
    private final MappedByteBuffer buffer;
    private final Runnable unmapper;
    private final boolean writable;
    private volatile boolean mapped = true;

    RealMapping(Path path, MappedByteBuffer buffer, Runnable unmapper, boolean writable) {
        this.path = path;
        this.buffer = buffer;
        this.unmapper = unmapper;
        this.writable = writable;
    }

    static RealMapping map(FileChannel channel, Path path, int length, boolean writable)
            throws IOException {
        FileChannel.MapMode mode =
                writable ? FileChannel.MapMode.READ_WRITE : FileChannel.MapMode.READ_ONLY;
        Mapper.Mapped mapped = Mapper.INSTANCE.map(channel, mode, length);
        return new RealMapping(path, mapped.buffer(), mapped.unmapper(), writable);
    }

    @Override
    public ByteBuffer buffer() {
        checkMapped();
        return buffer;
    }

    @Override
    public void force(int position, int length) throws IOException {
        checkMapped();
        try {
            buffer.force(position, length);
        } catch (UncheckedIOException e) {
            throw new IOException("could not force the mapping of " + path, e.getCause());
        } catch (InternalError e) {
            throw new IOException("a page of the mapping of " + path + " is gone", e);
        }
    }

    @Override
    public void prefault() throws IOException {
        checkMapped();
        try {
            if (!writable) {
                buffer.load();
                return;
            }
            for (int at = 0; at < buffer.capacity(); at += PAGE) {
                // A load alone would leave the fault that makes the page writable to the writer.
                buffer.put(at, buffer.get(at));
            }
        } catch (InternalError e) {
            throw new IOException("a page of the mapping of " + path + " cannot be read", e);
        }
    }

    @Override
    public synchronized void unmap() {
        if (mapped) {
            mapped = false;
            unmapper.run();
        }
    }

    private void checkMapped() {
        if (!mapped) {
            throw new IllegalStateException("the mapping of " + path + " is gone");
        }
    }
}
