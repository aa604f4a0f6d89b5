package io.firn.shadow;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.IsolationLevel;
import io.firn.Partition;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** The bytes of a partition, and of batches that a test makes. */
final class Batches {
    private Batches() {}

    /** Returns all batches from an offset on, as they are stored. */
    static byte[] of(Partition partition, long from) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        WritableByteChannel out = Channels.newChannel(bytes);
        BatchReader reader =
                HostedPartition.of(partition).openBatchReader(IsolationLevel.READ_UNCOMMITTED);
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

    /** Returns a batch over ten offsets. */
    static ByteBuffer batch(long baseOffset, int epoch) {
        SimpleRecord[] records = new SimpleRecord[10];
        for (int i = 0; i < records.length; i++) {
            records[i] = new SimpleRecord(i, null, ("value " + i).getBytes(UTF_8));
        }
        return MemoryRecords.withRecords(baseOffset, Compression.NONE, epoch, records).buffer();
    }

    static ByteBuffer joined(ByteBuffer... batches) {
        int length = 0;
        for (ByteBuffer each : batches) {
            length += each.remaining();
        }
        ByteBuffer all = ByteBuffer.allocate(length);
        for (ByteBuffer each : batches) {
            all.put(each.duplicate());
        }
        return all.flip();
    }
}
