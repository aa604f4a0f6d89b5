package io.firn.bench.kafka;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.ByteUtils;

/**
 * Fetches a partition from its start and drops the records without looking at them: they were
 * produced in batches of one size, so that the next offset is known from their length.
 */
final class FetchLoad implements AutoCloseable {
    private static final int HEAD = Requests.FETCH_RECORDS + ByteUtils.sizeOfUnsignedVarint(-1);

    private final LoadChannel channel;
    private final int maxBytes;
    private final int batchBytes;
    private final int batchRecords;
    private final ByteBuffer in = ByteBuffer.allocateDirect(1 << 20);

    /**
     * Connects.
     *
     * @param maxBytes the most bytes of a response
     * @param receiveBytes the socket's receive buffer; 0 lets the system choose
     */
    FetchLoad(Broker server, int maxBytes, int batchBytes, int batchRecords, int receiveBytes)
            throws IOException {
        this.channel = server.connect(receiveBytes);
        this.maxBytes = maxBytes;
        this.batchBytes = batchBytes;
        this.batchRecords = batchRecords;
    }

    /**
     * Fetches the first partition of a topic up to an offset.
     *
     * @param times how often all of it is fetched
     * @return the time of each fetch in ns
     */
    Histogram drain(Uuid topic, long end, int times) throws IOException {
        Histogram latency = new Histogram(TimeUnit.MINUTES.toNanos(5), 3);
        ByteBuffer request = Requests.fetch(topic, 0, maxBytes);
        int at = Requests.offsetIn(request);
        for (int i = 0; i < times; i++) {
            drain(request, at, end, latency);
        }
        return latency;
    }

    private void drain(ByteBuffer request, int at, long end, Histogram latency) throws IOException {
        ByteBuffer[] out = {request};
        for (long offset = 0; offset < end; ) {
            request.clear().putLong(at, offset);
            long start = System.nanoTime();
            while (request.hasRemaining()) {
                channel.write(out, 0, 1);
            }
            // A broker may end its response with a part of a batch.
            offset += (long) (receive() / batchBytes) * batchRecords;
            latency.recordValue(System.nanoTime() - start);
        }
    }

    /** Receives a response; returns the length of its records. */
    private int receive() throws IOException {
        in.clear();
        while (in.position() < 4 + HEAD) {
            read();
        }
        long left = 4L + in.getInt(0) - in.position();
        short error = in.getShort(4 + Requests.FETCH_ERROR);
        if (error != 0) {
            throw new IOException("the server refused a fetch: " + Errors.forCode(error));
        }
        int records =
                ByteUtils.readUnsignedVarint(in.duplicate().position(4 + Requests.FETCH_RECORDS));
        while (left > 0) {
            in.clear().limit((int) Math.min(in.capacity(), left));
            left -= read();
        }
        if (records <= batchBytes) {
            throw new IOException("a response of " + records + " bytes, less than one batch");
        }
        return records - 1;
    }

    private int read() throws IOException {
        return channel.read(in);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
