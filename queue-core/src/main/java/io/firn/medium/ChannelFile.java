package io.firn.medium;

import io.firn.medium.MediumFile.Mapping;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of this machine, through a channel: for platforms on which a {@link RealFile} is not
 * enough. After an interrupt it is opened again by its name, which it must still have then.
 */
final class ChannelFile implements MediumFile {
    /** The JDK keeps a direct buffer for each thread, as large as the largest transfer. */
    private static final int PIECE = 64 * 1024;

    private static final byte[] ZERO = new byte[1];

    private final Path path;
    private final boolean writable;
    private final Platform platform;
    private final RepeatedCalls calls;

    private ChannelFile(Path path, boolean writable, Platform platform) {
        this.path = path;
        this.writable = writable;
        this.platform = platform;
        this.calls =
                writable
                        ? new RepeatedCalls(path, StandardOpenOption.READ, StandardOpenOption.WRITE)
                        : new RepeatedCalls(path, StandardOpenOption.READ);
    }

    /** Opens an existing file. */
    static ChannelFile open(Path path, boolean writable, Platform platform) throws IOException {
        ChannelFile file = new ChannelFile(path, writable, platform);
        file.size();
        return file;
    }

    @Override
    public long size() throws IOException {
        return call("looked at", channel -> channel.size());
    }

    @Override
    public long modifiedMs() throws IOException {
        return RegularFiles.attributesOf(path).lastModifiedTime().toMillis();
    }

    @Override
    public int read(long position, byte[] target, int offset, int length) throws IOException {
        int done = 0;
        while (done < length) {
            long at = position + done;
            ByteBuffer piece =
                    ByteBuffer.wrap(target, offset + done, Math.min(PIECE, length - done));
            int n = call("read", channel -> channel.read(piece, at));
            if (n < 0) {
                break;
            }
            done += n;
        }
        return done;
    }

    @Override
    public void write(long position, byte[] source, int offset, int length) throws IOException {
        for (int done = 0; done < length; done += PIECE) {
            int piece = Math.min(PIECE, length - done);
            write(position + done, ByteBuffer.wrap(source, offset + done, piece));
        }
    }

    @Override
    public void write(long position, ByteBuffer source) throws IOException {
        requireWritable();
        try {
            calls.write(position, source);
        } catch (IOException e) {
            throw RealFile.named(path, "written", e);
        }
    }

    @Override
    public void setSize(long size) throws IOException {
        requireWritable();
        long before = size();
        if (size > before) {
            write(size - 1, ZERO, 0, 1); // a channel has no other way to make a file longer
        } else if (size < before) {
            call("set to " + size + " bytes", channel -> channel.truncate(size));
        }
    }

    @Override
    public void force() throws IOException {
        call(
                "forced",
                channel -> {
                    channel.force(true);
                    return null;
                });
    }

    private void requireWritable() throws IOException {
        if (!writable) {
            throw new IOException(path + " is open for reading only");
        }
    }

    private <T> T call(String what, RepeatedCalls.Call<T> call) throws IOException {
        try {
            return calls.call(call);
        } catch (IOException e) {
            throw RealFile.named(path, what, e);
        }
    }

    @Override
    public Mapping map(int length, boolean forWriting) throws IOException {
        return map(forWriting ? MapMode.READ_WRITE : MapMode.READ_ONLY, 0, length);
    }

    @Override
    public Mapping map(MapMode mode, long position, int length) throws IOException {
        RealFile.requireBytes(path, size(), position + length);
        return MappingThread.INSTANCE.call(
                () -> RealMapping.map(path, mode, position, length, platform));
    }

    @Override
    public void close() throws IOException {
        calls.close();
    }
}
