package io.firn.medium;

import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.medium.MediumFile.Mapping;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Bytes of a file of this machine, mapped. */
final class RealMapping implements Mapping {
    private static final OpenOption[] FOR_READING = {StandardOpenOption.READ};
    private static final OpenOption[] FOR_WRITING = {
        StandardOpenOption.READ, StandardOpenOption.WRITE
    };

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

    static RealMapping map(Path path, MapMode mode, long position, int length) throws IOException {
        boolean writable = isWritable(mode);
        try (FileChannel channel =
                RegularFiles.openChannel(path, writable ? FOR_WRITING : FOR_READING)) {
            Mapper.Mapped mapped = Mapper.INSTANCE.map(channel, mode, position, length);
            return new RealMapping(path, mapped.buffer(), mapped.unmapper(), writable);
        } catch (IOException e) {
            throw OutOfDescriptorsException.orSame(path, e);
        }
    }

    /** There are more modes than {@link MapMode} itself names, see jdk.nio.mapmode. */
    private static boolean isWritable(MapMode mode) {
        return mode.toString().startsWith("READ_WRITE");
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
            throw new IOException(
                    "could not force the mapping of " + path + ": " + e.getCause().getMessage(),
                    e.getCause());
        } catch (InternalError e) {
            throw new IOException("a page of the mapping of " + path + " is gone", e);
        }
    }

    @Override
    public void prefault(int position, int length) throws IOException {
        checkMapped();
        try {
            if (writable) {
                Mapping.makeWritable(buffer.slice(position, length));
                return;
            }
            for (int at = position; at < position + length; at += PAGE) {
                buffer.get(at);
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

    @Override
    public synchronized boolean abandon() {
        if (Mapper.INSTANCE.isUnmappingSafe()) {
            unmap();
            return false;
        }
        boolean left = mapped;
        mapped = false;
        return left;
    }

    private void checkMapped() {
        if (!mapped) {
            throw new IllegalStateException("the mapping of " + path + " is gone");
        }
    }
}
