package io.firn.server.log;

import io.firn.host.BatchRun;
import io.firn.server.wire.LogRecords;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;

/** What one read for a fetch has found. Keeps the log's bytes pinned until it is sent or closed. */
final class FetchResult implements AutoCloseable {
    private static final int PAGE = 4096;

    /** Steps over fillers in one read: together up to 1 MiB of them. */
    private static final int MAX_STEPS = 16;

    @SuppressWarnings("UnusedVariable") // keeps the loads
    private static volatile int blackHole;

    private final FetchResponseData response = new FetchResponseData();
    private final long visible;
    private final Object rights;
    private final PartitionReader.Steps steps = new PartitionReader.Steps(MAX_STEPS);
    private int bytes;
    private int bytesOfRecords;
    private boolean failed;

    /**
     * Creates an empty result.
     *
     * @param visible the sum of the visible ends before the read
     * @param rights the version of the client's rights before the read
     */
    FetchResult(long visible, Object rights) {
        this.visible = visible;
        this.rights = rights;
    }

    FetchResponseData response() {
        return response;
    }

    /** Returns the sum of the visible ends before the read. */
    long visible() {
        return visible;
    }

    /** Returns the version of the client's rights that the result is made for. */
    Object rights() {
        return rights;
    }

    /** Returns the size of all batches. */
    int bytes() {
        return bytes;
    }

    /** Returns their size without those partitions that have nothing but a filler. */
    int bytesOfRecords() {
        return bytesOfRecords;
    }

    /** Returns whether any partition has more than a filler. */
    boolean hasRecords() {
        return bytesOfRecords > 0;
    }

    /** Returns whether there are more fillers to pass than in one step. */
    boolean isUnfinished() {
        return steps.areUsedUp();
    }

    /** Returns how many more steps over fillers the read may take. */
    PartitionReader.Steps steps() {
        return steps;
    }

    /** Returns whether a partition could not be read: the client is told at once. */
    boolean isFailed() {
        return failed;
    }

    /** Adds what was read of a partition. */
    void add(PartitionData data, List<BatchRun> runs) {
        LogRecords records = new LogRecords(runs);
        bytes += records.sizeInBytes();
        bytesOfRecords += PartitionReader.isFiller(runs) ? 0 : records.sizeInBytes();
        data.setRecords(records);
    }

    PartitionData refuse(PartitionData data, Errors error) {
        failed = true;
        return data.setErrorCode(error.code())
                .setHighWatermark(-1)
                .setLastStableOffset(-1)
                .setLogStartOffset(-1);
    }

    /** Reads one byte of each page, so that no event loop has to wait for a disk. */
    void load() {
        forEachRecords(
                records -> {
                    records.markLoaded();
                    for (ByteBuffer run : records.buffers()) {
                        load(run);
                    }
                });
    }

    private static void load(ByteBuffer bytes) {
        int sum = 0;
        try {
            for (int at = bytes.position(); at < bytes.limit(); at += PAGE) {
                sum += bytes.get(at);
            }
        } catch (InternalError e) {
            sum = 0; // the page is lost; the write to this client's socket reports it
        }
        blackHole = sum;
    }

    private void forEachRecords(Consumer<LogRecords> action) {
        response.responses()
                .forEach(
                        topic ->
                                topic.partitions()
                                        .forEach(
                                                each ->
                                                        action.accept(
                                                                (LogRecords) each.records())));
    }

    @Override
    public void close() {
        forEachRecords(LogRecords::close);
    }
}
