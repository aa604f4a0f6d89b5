package io.firn.shadow.lab;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/**
 * Writes as a shadow does, without a log: pieces of up to 1 MiB, in turn to a file for each
 * partition, files of a segment's size, each forced after 16 MiB and at its end. The bytes come
 * from memory that stays the same, and nothing is verified.
 */
final class WriteFloor {
    private static final int PIECE_BYTES = 1 << 20;
    private static final int FORCE_BYTES = 16 << 20;
    private static final int FILE_BYTES = 64 << 20;

    private WriteFloor() {}

    static void write(Path directory, int partitions, long bytes) throws IOException {
        Files.createDirectories(directory);
        ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
        byte[] random = new byte[PIECE_BYTES];
        new Random(1).nextBytes(random);
        piece.put(random);
        FileChannel[] files = new FileChannel[partitions];
        long[] written = new long[partitions];
        long left = bytes;
        for (int i = 0; left > 0; i = (i + 1) % partitions) {
            if (written[i] % FILE_BYTES == 0) {
                end(files[i]);
                files[i] = open(directory.resolve(i + "-" + written[i]));
            }
            piece.clear();
            while (piece.hasRemaining()) {
                files[i].write(piece);
            }
            written[i] += PIECE_BYTES;
            left -= PIECE_BYTES;
            if (written[i] % FORCE_BYTES == 0) {
                files[i].force(false);
            }
        }
        for (FileChannel each : files) {
            end(each);
        }
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    private static void end(FileChannel file) throws IOException {
        if (file != null) {
            file.force(true);
            file.close();
        }
    }
}
