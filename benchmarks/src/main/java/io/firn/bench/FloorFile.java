package io.firn.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file for the floors: filled with zeros, forced, mapped, with every page touched. */
final class FloorFile implements AutoCloseable {
    private static final int PAGE = 4096;
    private static final int PIECE = 16 * 1024;

    private static final String NAME = "floor";

    private final Path directory;
    private final MappedByteBuffer memory;

    private FloorFile(Path directory, MappedByteBuffer memory) {
        this.directory = directory;
        this.memory = memory;
    }

    static FloorFile open(String parent, int mib) throws IOException {
        Path directory = Places.make(parent);
        int length = mib << 20;
        try (FileChannel channel =
                FileChannel.open(
                        directory.resolve(NAME),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            ByteBuffer zeros = ByteBuffer.allocateDirect(PIECE);
            for (int at = 0; at < length; at += PIECE) {
                channel.write(zeros.clear(), at);
            }
            channel.force(true);
            MappedByteBuffer memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, length);
            for (int at = 0; at < length; at += PAGE) {
                memory.put(at, (byte) 0);
            }
            return new FloorFile(directory, memory);
        }
    }

    Path path() {
        return directory.resolve(NAME);
    }

    MappedByteBuffer memory() {
        return memory;
    }

    @Override
    public void close() {
        Places.delete(directory);
    }
}
