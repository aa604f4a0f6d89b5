package io.firn.server.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;

/**
 * A request and its response. A handler receives it with the request and replies once, on any
 * thread; responses are sent in the order of the requests.
 */
public final class Exchange implements Steps.Request {
    /** How much larger a response is as an object than on the wire, about. */
    private static final int OBJECT_FACTOR = 4;

    private final Owner connection;
    private final ApiKeys key;
    private final short version;
    private final RequestHeaderData header;
    private final int bodyIndex;
    private ByteBuf frame;

    // On the event loop.
    private ApiMessage response;
    private short responseVersion;
    private volatile boolean answered; // written on the event loop only
    private volatile boolean abandoned;
    private boolean taken;
    private volatile Consumer<ApiMessage> observer;
    private long decodedBytes;
    private long parkedBytes;

    /** The rest of a request that is handled in steps; for the thread that has the turn. */
    private volatile Steps<?> steps;

    /** The memory of the response, from before it is made until the socket has taken it. */
    private final AtomicLong answerBytes = new AtomicLong();

    /** What an exchange needs of the connection that it belongs to. */
    interface Owner extends ClientConnection {

        /** Called on the event loop when an exchange was answered. */
        void onAnswered();

        /** Closes the connection, and logs the reason unless it is null. */
        void close(String reason, Throwable cause);

        /** Runs a task on an executor, after the tasks that were given before it. Thread-safe. */
        void runInOrder(Executor executor, BooleanSupplier task);

        /** Returns the memory of responses, which the connection shares. Thread-safe. */
        Shares answers();

        /** Returns the memory of requests that wait, which the connection shares. Thread-safe. */
        Shares parked();

        /** Adds to the memory of the connection's requests. */
        void addRequestBytes(long bytes);

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

    /** Returns the size of the request on the wire, before it is answered. */
    public int bytes() {
        return frame.readableBytes();
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

    /** Sets what is told of the response, whether or not it can be sent; of a failure, null. */
    void observer(Consumer<ApiMessage> value) {
        observer = value;
    }

    private void observe(ApiMessage message) {
        Consumer<ApiMessage> once = observer;
        if (once != null) {
            observer = null;
            once.accept(message);
        }
    }

    /** Answers the request. */
    public void reply(ApiMessage message) {
        observe(message);
        onEventLoop(() -> complete(message), message);
    }

    private void onEventLoop(Runnable end, ApiMessage message) {
        if (eventLoop().inEventLoop()) {
            end.run();
            return;
        }
        try {
            eventLoop().execute(end);
        } catch (RuntimeException e) {
            LogRecords.discard(message); // the event loop has ended
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
        observe(null);
        onEventLoop(() -> completeWith(error), null);
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

    /**
     * Handles the request on an executor, after the earlier requests of the same connection that
     * are handled on one.
     */
    public void handleOn(Executor executor, Runnable handler) {
        connection.runInOrder(executor, new Task(handler));
    }

    /** The handling of the request in the background, in one step or several. */
    private final class Task implements BooleanSupplier {
        private Runnable first;

        Task(Runnable first) {
            this.first = first;
        }

        @Override
        public boolean getAsBoolean() {
            Runnable begin = first;
            first = null;
            attempt(begin == null ? Exchange.this::step : begin);
            return steps == null;
        }
    }

    /** Runs a part of the handler; what it throws becomes the response. */
    void attempt(Runnable part) {
        try {
            part.run();
        } catch (RuntimeException e) {
            fail(e);
        } catch (Error e) {
            fail(e); // first: the client would wait for ever
            throw e;
        }
    }

    // ---- long work, and its memory

    /**
     * Works on many items in the background, in steps between which other requests get a turn. Ends
     * early when the connection has ended. To be called once, last, by a handler that runs on an
     * executor.
     *
     * @param end replies, also after an early end: what was done has observers
     */
    public <T> void inSteps(Iterable<T> items, Consumer<T> each, Runnable end) {
        steps = new Steps<>(this, items.iterator(), each, end);
        step();
    }

    /** As {@link #inSteps}, for changes, which go on when the connection has ended. */
    public <T> void changeInSteps(Iterable<T> items, Consumer<T> each, Runnable end) {
        steps = new Steps<>(Steps.toTheEnd(this), items.iterator(), each, end);
        step();
    }

    private void step() {
        Steps<?> now = steps;
        steps = null; // also when it throws
        if (!now.run()) {
            steps = now;
        }
    }

    /** Counts memory that the response is about to use, until the client has received it. */
    public void addAnswerBytes(long bytes) {
        answerBytes.addAndGet(bytes);
        connection.answers().add(connection.owner(), bytes);
        if (abandoned) {
            releaseAnswer();
        }
    }

    @Override
    public boolean isAnswerMemoryExceeded() {
        return connection.answers().isExceeded(connection.owner(), answerBytes.get());
    }

    /** The memory that was counted is not used, or the response is encoded. */
    public void releaseAnswer() {
        connection.answers().add(connection.owner(), -answerBytes.getAndSet(0));
    }

    /**
     * Called when the request waits for something that may take long: from now on it does not keep
     * others from being read. On the event loop.
     *
     * @return false if too much waits already; the request then counts as before
     */
    public boolean park() {
        long bytes = heldBytes();
        if (answered || parkedBytes > 0) {
            return true;
        }
        if (!connection.parked().tryAdd(connection.owner(), bytes)) {
            return false;
        }
        parkedBytes = bytes;
        connection.addRequestBytes(-bytes);
        return true;
    }

    /** As {@link #park}, on another thread, unless the request is answered already. */
    public void parkLater() {
        if (!answered) {
            eventLoop().execute(this::park);
        }
    }

    /** The request does not wait any more. */
    private void unpark() {
        if (parkedBytes > 0) {
            connection.parked().add(connection.owner(), -parkedBytes);
            connection.addRequestBytes(parkedBytes);
            parkedBytes = 0;
        }
    }

    /** Returns the body of the request. */
    ByteBuffer body() {
        return frame.nioBuffer(bodyIndex, frame.writerIndex() - bodyIndex);
    }

    private void complete(ApiMessage message) {
        if (answered) {
            LogRecords.discard(message);
            releaseAnswer();
            return;
        }
        unpark();
        answered = true;
        response = message;
        connection.onAnswered();
        if (!taken && response != null && !hasRecords()) {
            // It waits for earlier ones, as an object, of which there may be many.
            addAnswerBytes(
                    (long) OBJECT_FACTOR
                            * response.size(new ObjectSerializationCache(), responseVersion));
        }
    }

    /** Returns whether the size of the response says little about its memory. */
    private boolean hasRecords() {
        return key == ApiKeys.FETCH || key == ApiKeys.PRODUCE;
    }

    /** Called when it is the next one to be sent. */
    void take() {
        taken = true;
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
            LogRecords.discard(response);
        }
        unpark();
        answered = true;
        abandoned = true;
        releaseAnswer();
        response = null;
        release();
    }

    /** Returns whether the request is still to be answered. */
    @Override
    public boolean isOpen() {
        return !answered;
    }

    @Override
    public String toString() {
        return key + " v" + version;
    }
}
