package io.firn.server.wire;

import io.firn.host.BatchRun;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.RecordsSend;

/**
 * The records of a fetch response: pinned bytes of the log. Writing the response passes the pins
 * on; the records of a response that is not written must be closed.
 */
public final class LogRecords implements BaseRecords, AutoCloseable {
    /** No records. */
    public static final LogRecords EMPTY = new LogRecords(List.of());

    private final List<BatchRun> runs;
    private final int size;
    private boolean loaded;

    /** Takes over the runs, and their pins. */
    public LogRecords(List<BatchRun> runs) {
        this.runs = runs;
        int bytes = 0;
        for (BatchRun run : runs) {
            bytes += run.bytes().remaining();
        }
        this.size = bytes;
    }

    /** Returns the bytes of each run. */
    public List<ByteBuffer> buffers() {
        return runs.stream().map(BatchRun::bytes).toList();
    }

    /**
     * Notes that the bytes were just read from a disk into the mapping, and are to be written from
     * there: the system would read further ahead in a file that it sends.
     */
    public void markLoaded() {
        loaded = true;
    }

    boolean isLoaded() {
        return loaded;
    }

    List<BatchRun> runs() {
        return runs;
    }

    @Override
    public int sizeInBytes() {
        return size;
    }

    /** Throws: this is for Kafka's own channels, which are not used. */
    @Override
    public RecordsSend<BaseRecords> toSend() {
        throw new UnsupportedOperationException("written by ResponseEncoder only");
    }

    @Override
    public void close() {
        runs.forEach(BatchRun::close);
    }

    /** Unpins the log bytes of a response that is not sent. */
    static void discard(ApiMessage message) {
        if (message instanceof FetchResponseData fetch) {
            fetch.responses()
                    .forEach(
                            topic ->
                                    topic.partitions()
                                            .forEach(
                                                    partition -> {
                                                        if (partition.records()
                                                                instanceof LogRecords records) {
                                                            records.close();
                                                        }
                                                    }));
        }
    }
}
