package io.firn.server.wire;

import io.firn.BatchRun;
import java.util.List;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.RecordsSend;

/**
 * Records of a fetch response, as they lie in the log. Whoever writes the response becomes their
 * owner; a response that is not written must be {@link #close}d.
 */
public final class LogRecords implements BaseRecords, AutoCloseable {
    /** None. */
    public static final LogRecords EMPTY = new LogRecords(List.of());

    private final List<BatchRun> runs;
    private final int size;

    /** Takes the runs over. */
    public LogRecords(List<BatchRun> runs) {
        this.runs = runs;
        int bytes = 0;
        for (BatchRun run : runs) {
            bytes += run.bytes().remaining();
        }
        this.size = bytes;
    }

    /** The bytes, run by run. */
    public List<java.nio.ByteBuffer> buffers() {
        return runs.stream().map(BatchRun::bytes).toList();
    }

    List<BatchRun> runs() {
        return runs;
    }

    @Override
    public int sizeInBytes() {
        return size;
    }

    /** Not used: Kafka's own channels are not. */
    @Override
    public RecordsSend<BaseRecords> toSend() {
        throw new UnsupportedOperationException("written by WireWriter only");
    }

    @Override
    public void close() {
        runs.forEach(BatchRun::close);
    }
}
