package io.firn.server.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;

/**
 * One request and its answer. Handlers get it with the request, and reply once, from any thread;
 * answers leave in the order in which requests came.
 */
public final class Exchange {
    private final Connection connection;
    private final ApiKeys key;
    private final short version;
    private final RequestHeaderData header;
    private final int bodyIndex;
    private ByteBuf frame;

    // On the event loop.
    private ApiMessage response;
    private short responseVersion;
    private boolean answered;
    private long decodedBytes;

    Exchange(
            Connection connection,
            ApiKeys key,
            short version,
            RequestHeaderData header,
            ByteBuf frame,
            int bodyIndex) {
        this.connection = connection;
        this.key = key;
        this.version = version;
        this.responseVersion = version;
        this.header = header;
        this.frame = frame;
        this.bodyIndex = bodyIndex;
    }

    /** Which API. */
    public ApiKeys key() {
        return key;
    }

    /** In which version. */
    public short version() {
        return version;
    }

    /** What the client calls itself, never null. */
    public String clientId() {
        return header.clientId() == null ? "" : header.clientId();
    }

    /** Who asks. */
    public Connection connection() {
        return connection;
    }

    /** The connection's thread. */
    public EventLoop eventLoop() {
        return connection.eventLoop();
    }

    int correlationId() {
        return header.correlationId();
    }

    /** Answers. */
    public void reply(ApiMessage message) {
        if (eventLoop().inEventLoop()) {
            complete(message);
        } else {
            try {
                eventLoop().execute(() -> complete(message));
            } catch (RuntimeException e) {
                discard(message); // the event loop has ended
            }
        }
    }

    /** Answers with nothing, which only a produce request without acknowledgement is happy with. */
    public void replyNothing() {
        reply(null);
    }

    /** Answers in an older version than asked for. */
    void replyAs(short olderVersion, ApiMessage message) {
        responseVersion = olderVersion;
        reply(message);
    }

    /** Answers with an error, in the form that this API has for errors. */
    public void fail(Throwable error) {
        if (eventLoop().inEventLoop()) {
            completeWith(error);
        } else {
            try {
                eventLoop().execute(() -> completeWith(error));
            } catch (RuntimeException e) {
                discard(null);
            }
        }
    }

    private void completeWith(Throwable error) {
        if (answered || frame == null) {
            return;
        }
        try {
            ByteBuffer body = body();
            AbstractResponse answer =
                    AbstractRequest.parseRequest(key, version, new ByteBufferAccessor(body))
                            .request
                            .getErrorResponse(0, connection.errors().toWire(key, error));
            complete(answer == null ? null : answer.data());
        } catch (RuntimeException e) {
            connection.close("no answer to " + key + " v" + version, e);
        }
    }

    /** The request's body, as it came. */
    ByteBuffer body() {
        return frame.nioBuffer(bodyIndex, frame.writerIndex() - bodyIndex);
    }

    private void complete(ApiMessage message) {
        if (answered) {
            discard(message);
            return;
        }
        answered = true;
        response = message;
        connection.answered();
    }

    boolean isAnswered() {
        return answered;
    }

    ApiMessage response() {
        return response;
    }

    short responseVersion() {
        return responseVersion;
    }

    void decodedBytes(long bytes) {
        decodedBytes = bytes;
    }

    /** The memory it uses, as received and decoded. */
    long heldBytes() {
        return decodedBytes + (frame == null ? 0 : frame.readableBytes());
    }

    /** Gives the request's bytes back. */
    void release() {
        if (frame != null) {
            frame.release();
            frame = null;
        }
    }

    /**
     * Keeps the request's bytes although the connection may end; what a producer has sent counts,
     * also when it does not wait for an answer.
     *
     * @return to be run when they are not needed any more
     */
    public Runnable keepBytes() {
        ByteBuf kept = frame.retain();
        return kept::release;
    }

    /** The connection is gone: nobody wants the answer any more. */
    void abandon() {
        if (answered) {
            discard(response);
        }
        answered = true;
        response = null;
        release();
    }

    /** Whether an answer is still wanted. */
    public boolean isOpen() {
        return !answered;
    }

    /** Releases the log's bytes in an answer that is not sent. */
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

    @Override
    public String toString() {
        return key + " v" + version;
    }
}
