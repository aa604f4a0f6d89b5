package io.firn.shadow;

import io.firn.BatchReader;
import io.firn.BatchRun;
import io.firn.Isolation;
import io.firn.Partition;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;

/** The bytes of a partition. */
final class Batches {
    private Batches() {}

    /** Returns all batches from an offset on, as they are stored. */
    static byte[] of(Partition partition, long from) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        WritableByteChannel out = Channels.newChannel(bytes);
        BatchReader reader = partition.openBatchReader(Isolation.UNCOMMITTED);
        long offset = from;
        while (true) {
            try (BatchRun run = reader.read(offset, 1 << 20, true)) {
                if (run == null) {
                    return bytes.toByteArray();
                }
                ByteBuffer read = run.bytes().duplicate();
                out.write(read);
                offset = run.nextOffset();
            }
        }
    }
}
