package io.firn.server.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;

/**
 * A request and its response. A handler receives it with the request and replies once, on any
 * thread; responses are sent in the order of the requests.
 */
public final class Exchange {
    private final Owner connection;
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

    /** What an exchange needs of the connection that it belongs to. */
    interface Owner extends ClientConnection {

        /** Called on the event loop when an exchange was answered. */
        void onAnswered();

        /** Closes the connection, and logs the reason unless it is null. */
        void close(String reason, Throwable cause);

        /** Runs a task on an executor, after the tasks that were given before it. Thread-safe. */
        void runInOrder(Executor executor, Runnable task);

        /** Returns the mapping of failures to Kafka's exceptions. Thread-safe. */
        WireErrors errors();
    }

    Exchange(
            Owner connection,
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

    /** Returns the API of the request. */
    public ApiKeys key() {
        return key;
    }

    /** Returns the version of the request. */
    public short version() {
        return version;
    }

    /** Returns the client id of the request; empty if it has none. */
    public String clientId() {
        return header.clientId() == null ? "" : header.clientId();
    }

    /** Returns the connection that the request came on. */
    public ClientConnection connection() {
        return connection;
    }

    /** Returns the thread of the connection. */
    public EventLoop eventLoop() {
        return connection.eventLoop();
    }

    int correlationId() {
        return header.correlationId();
    }

    /** Answers the request. */
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

    /** Completes a produce request with {@code acks=0}, which has no response. */
    public void replyNothing() {
        reply(null);
    }

    /** Answers in an older version than that of the request. */
    void replyAs(short olderVersion, ApiMessage message) {
        responseVersion = olderVersion;
        reply(message);
    }

    /** Answers with an error, in the form that the API has for errors. */
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
            connection.close("no response to " + key + " v" + version, e);
        }
    }

    /** Runs a task on an executor, after the earlier tasks of the same connection. */
    void runInOrder(Executor executor, Runnable task) {
        connection.runInOrder(executor, task);
    }

    /** Returns the body of the request. */
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
        connection.onAnswered();
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

    /** Returns the memory that the request uses, as received and as decoded. */
    long heldBytes() {
        return decodedBytes + (frame == null ? 0 : frame.readableBytes());
    }

    /** Releases the bytes of the request. */
    void release() {
        if (frame != null) {
            frame.release();
            frame = null;
        }
    }

    /**
     * Retains the bytes of the request beyond the end of its connection: records that a producer
     * has sent are stored even if it does not wait for the response.
     *
     * @return an action that releases the bytes, to be run once
     */
    public Runnable keepBytes() {
        ByteBuf kept = frame.retain();
        return kept::release;
    }

    /** Gives up the exchange: its connection has ended. */
    void abandon() {
        if (answered) {
            discard(response);
        }
        answered = true;
        response = null;
        release();
    }

    /** Returns whether the request is still to be answered. */
    public boolean isOpen() {
        return !answered;
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

    @Override
    public String toString() {
        return key + " v" + version;
    }
}
