package io.firn.store;

import io.firn.BatchReader;
import io.firn.BatchRun;
import io.firn.Partition;
import io.firn.spi.View;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/** Reads whole batches unchanged, over a {@link PartitionReader} that keeps the place. */
final class LogBatchReader implements BatchReader {
    private final Partition partition;
    private final PartitionReader reader;

    LogBatchReader(Partition partition, SegmentedLog log) {
        this.partition = partition;
        this.reader = new PartitionReader(log);
    }

    @Override
    public Partition partition() {
        return partition;
    }

    @Override
    public BatchRun read(long offset, int maxBytes, boolean atLeastOne) {
        if (offset != reader.offset()) {
            reader.seek(offset);
        }
        return reader.take(maxBytes, atLeastOne);
    }

    /** Bytes of a segment and the pin that holds them. */
    static final class Run implements BatchRun {
        private final View view;
        private final ByteBuffer bytes;
        private final long baseOffset;
        private final long nextOffset;
        private final AtomicBoolean closed = new AtomicBoolean();

        /** Takes over the caller's pin. */
        Run(View view, ByteBuffer bytes, long baseOffset, long nextOffset) {
            this.view = view;
            this.bytes = bytes;
            this.baseOffset = baseOffset;
            this.nextOffset = nextOffset;
        }

        @Override
        public ByteBuffer bytes() {
            return bytes;
        }

        @Override
        public long baseOffset() {
            return baseOffset;
        }

        @Override
        public long nextOffset() {
            return nextOffset;
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                bytes.limit(0); // a buffer that was kept shows nothing from now on
                view.unpin();
            }
        }
    }
}
