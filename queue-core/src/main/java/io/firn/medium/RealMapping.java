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

    /** Forces the file to the drive; null where the force of a mapping does. */
    private final RepeatedCalls drive;

    private volatile boolean mapped = true;

    private RealMapping(Path path, Mapper.Mapped mapping, boolean writable, RepeatedCalls drive) {
        this.path = path;
        this.buffer = mapping.buffer();
        this.unmapper = mapping.unmapper();
        this.writable = writable;
        this.drive = drive;
    }

    static RealMapping map(Path path, MapMode mode, long position, int length, Platform platform)
            throws IOException {
        boolean writable = isWritable(mode);
        RepeatedCalls drive = null;
        try (FileChannel channel =
                RegularFiles.openChannel(path, writable ? FOR_WRITING : FOR_READING)) {
            if (writable && !platform.mappingForceReachesDrive()) {
                drive = new RepeatedCalls(path, FOR_WRITING);
                drive.call(FileChannel::size); // opened now, while the file has this name
            }
            Mapper.Mapped mapped = Mapper.INSTANCE.map(channel, mode, position, length);
            return new RealMapping(path, mapped, writable, drive);
        } catch (IOException e) {
            if (drive != null) {
                drive.close();
            }
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
            if (drive != null) {
                // After the stores were handed to the drive: this empties its cache.
                drive.call(
                        channel -> {
                            channel.force(true);
                            return null;
                        });
            }
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
            closeDrive();
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
        closeDrive();
        return left;
    }

    private void closeDrive() {
        try {
            if (drive != null) {
                drive.close();
            }
        } catch (IOException e) {
            return; // everything that had to be durable was forced
        }
    }

    private void checkMapped() {
        if (!mapped) {
            throw new IllegalStateException("the mapping of " + path + " is gone");
        }
    }
}
