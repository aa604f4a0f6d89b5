package io.firn.medium;

import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.medium.MediumFile.Mapping;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file of this machine. */
final class RealFile implements MediumFile {
    private final Path path;
    private final RandomAccessFile file;
    private final RepeatedCalls channel;

    RealFile(Path path, RandomAccessFile file) {
        this.path = path;
        this.file = file;
        this.channel = new RepeatedCalls(path, StandardOpenOption.WRITE);
    }

    @Override
    public long size() throws IOException {
        return file.length();
    }

    @Override
    public long modifiedMs() throws IOException {
        return Files.getLastModifiedTime(path).toMillis();
    }

    @Override
    public synchronized int read(long position, byte[] target, int offset, int length)
            throws IOException {
        try {
            file.seek(position);
            int done = 0;
            while (done < length) {
                int n = file.read(target, offset + done, length - done);
                if (n < 0) {
                    break;
                }
                done += n;
            }
            return done;
        } catch (IOException e) {
            throw named(path, "read", e);
        }
    }

    @Override
    public synchronized void write(long position, byte[] source, int offset, int length)
            throws IOException {
        try {
            file.seek(position);
            file.write(source, offset, length);
        } catch (IOException e) {
            throw named(path, "written", e);
        }
    }

    @Override
    public void write(long position, ByteBuffer source) throws IOException {
        try {
            channel.write(position, source);
        } catch (IOException e) {
            throw named(path, "written", e);
        }
    }

    @Override
    public void setSize(long size) throws IOException {
        try {
            file.setLength(size);
        } catch (IOException e) {
            throw named(path, "set to " + size + " bytes", e);
        }
    }

    @Override
    public void force() throws IOException {
        try {
            file.getFD().sync();
        } catch (IOException e) {
            throw named(path, "forced", e);
        }
    }

    @Override
    public Mapping map(int length, boolean writable) throws IOException {
        return map(writable ? MapMode.READ_WRITE : MapMode.READ_ONLY, 0, length);
    }

    @Override
    public Mapping map(MapMode mode, long position, int length) throws IOException {
        requireBytes(path, file.length(), position + length);
        return MappingThread.INSTANCE.call(
                () -> RealMapping.map(path, mode, position, length, Platform.LINUX));
    }

    /** A channel extends a file that is too short for a writable mapping, with a hole. */
    static void requireBytes(Path path, long size, long end) throws IOException {
        if (end > size) {
            throw new IOException(
                    path + " has " + size + " bytes, those up to " + end + " were to be mapped");
        }
    }

    /** The system's errors do not say of which file they are. */
    static IOException named(Path path, String what, IOException e) {
        boolean isNamed =
                e instanceof FileSystemException
                        || e instanceof OutOfDescriptorsException
                        || String.valueOf(e.getMessage()).contains(path.toString());
        return isNamed
                ? e
                : new IOException(path + " could not be " + what + ": " + e.getMessage(), e);
    }

    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            file.close();
        }
    }
}
