package io.firn.read;

import io.firn.format.BatchFormat;
import io.firn.log.InMemory;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.producer.Producers;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.MemoryTier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** A log in memory with one sealed segment, of which no byte was verified, and its bytes. */
final class Sealed {
    private static final long EPOCH = 7;

    final SegmentedLog log;
    final Producers producers;
    final LogSegment segment;

    /** The bytes, to be damaged. */
    final ByteBuffer memory;

    private Sealed(SegmentedLog log, Producers producers, LogSegment segment, ByteBuffer memory) {
        this.log = log;
        this.producers = producers;
        this.segment = segment;
        this.memory = memory;
    }

    /** Stores batches as they are, except for their offsets and epochs. */
    static Sealed of(List<ByteBuffer> batches) throws IOException {
        return of(batches, Mark.UNKNOWN_TIMESTAMP);
    }

    /** As {@link #of(List)}, opened again, with an upper limit of the timestamps in the mark. */
    static Sealed of(List<ByteBuffer> batches, long maxTimestamp) throws IOException {
        MemoryTier tier = InMemory.tier();
        Producers producers = new Producers();
        SegmentedLog log = InMemory.log(tier, producers);
        int length = batches.stream().mapToInt(ByteBuffer::limit).sum();
        Block block = InMemory.block(tier, EPOCH, Math.max(length, 1));
        ByteBuffer memory = block.memory();
        int at = 0;
        long next = 0;
        for (ByteBuffer batch : batches) {
            memory.put(at, batch, 0, batch.limit());
            memory.putLong(at, next);
            memory.putInt(at + BatchFormat.EPOCH, BatchFormat.epochBits(EPOCH));
            next = BatchFormat.nextOffset(memory, at);
            at += batch.limit();
        }
        Mark reserved = block.mark();
        block.seal(reserved.sealed(EPOCH, 0, at, next, 0));
        LogSegment segment = new LogSegment(block, 0, at, next);
        segment.finishSeal();
        if (maxTimestamp != Mark.UNKNOWN_TIMESTAMP) {
            block.rewriteMark(block.mark().withMaxTimestamp(maxTimestamp));
            segment = new LogSegment(block, 0, at, next);
        }
        log.addSegment(segment);
        log.publishNext(next, 0);
        log.publishDurable(next);
        return new Sealed(log, producers, segment, memory);
    }

    /** Returns the position of a batch by its number. */
    int position(int batch) {
        int at = 0;
        for (int i = 0; i < batch; i++) {
            at += BatchFormat.size(memory, at);
        }
        return at;
    }

    /** Flips a bit of the value of a batch's last record, if that has no headers. */
    void rot(int batch) {
        int at = position(batch + 1) - 2;
        memory.put(at, (byte) (memory.get(at) ^ 1));
    }
}
