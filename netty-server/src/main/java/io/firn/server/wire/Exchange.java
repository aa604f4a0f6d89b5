package io.firn.server.wire;

import io.firn.server.wire.SerialExecutor.Progress;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.MetadataResponse;

/**
 * A request and its response. A handler receives it with the request and replies once, on any
 * thread; responses are sent in the order of the requests.
 */
public final class Exchange implements SteppedWork.Request {
    /** How much larger a response is as an object than on the wire, about. */
    private static final int OBJECT_FACTOR = 4;

    private final ExchangeOwner connection;
    private final ApiKeys key;
    private final short version;
    private final RequestHeaderData header;
    private final long readNs = System.nanoTime();
    private final int bodyIndex;
    private ByteBuf frame;
    private Executor background;

    // On the event loop.
    private ApiMessage response;
    private short responseVersion;
    private volatile boolean answered; // written on the event loop only
    private volatile boolean abandoned;
    private boolean taken;
    private volatile Consumer<ApiMessage> observer;
    private long decodedBytes;

    /** The rest of a request that is handled in steps; for the thread that has the turn. */
    private volatile SteppedWork<?> steps;

    private volatile Progress progress = Progress.DONE;

    private final ExchangeMemory memory;
    private final HandlingTime time;

    Exchange(
            ExchangeOwner connection,
            RequestHeaderData header,
            ByteBuf frame,
            int bodyIndex,
            HandlingTime time) {
        this.connection = connection;
        this.memory = new ExchangeMemory(connection);
        this.time = time;
        this.key = ApiKeys.forId(header.requestApiKey());
        this.version = header.requestApiVersion();
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

    /** Returns when it was read, by {@link System#nanoTime}. */
    long readNs() {
        return readNs;
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

    /** Returns the time that threads spend on the request. */
    HandlingTime time() {
        return time;
    }

    /** Returns work of the request for another thread as work whose time counts. */
    public Runnable counted(Runnable work) {
        return time.isCounted() ? () -> time.run(false, work) : work;
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
            if (isWithoutTopics(answer)) {
                connection.close("no topics could be listed", error);
                return;
            }
            complete(answer == null ? null : answer.data());
        } catch (RuntimeException e) {
            connection.close("no response to " + key + " v" + version, e);
        }
    }

    /** An error that concerns no single topic would be taken for an empty cluster. */
    private static boolean isWithoutTopics(AbstractResponse answer) {
        return answer instanceof MetadataResponse metadata && metadata.data().topics().isEmpty();
    }

    /**
     * Handles the request on an executor, after the earlier requests of the same connection that
     * are handled on one.
     */
    public void handleOn(Executor executor, Runnable handler) {
        memory.beginWork();
        background = executor;
        connection.background().run(executor, new Task(handler));
    }

    /**
     * Goes on with work that is not only for this request, on the thread pool that it is handled
     * on, when it is the client's turn again.
     */
    public void laterInBackground(Runnable work) {
        connection.background().runAside(background, work);
    }

    /** The handling of the request in the background, in one step or several. */
    private final class Task implements SerialExecutor.Task {
        private Runnable first;

        Task(Runnable first) {
            this.first = first;
        }

        @Override
        public Progress run() {
            Runnable begin = first;
            first = null;
            Runnable part = begin == null ? Exchange.this::step : begin;
            try {
                time.run(false, () -> attempt(part));
            } finally {
                if (steps == null) {
                    memory.endWork();
                }
            }
            return steps == null ? Progress.DONE : progress;
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
        steps = new SteppedWork<>(this, items.iterator(), each, end);
        step();
    }

    /** As {@link #inSteps}, for changes, which go on when the connection has ended. */
    public <T> void changeInSteps(Iterable<T> items, Consumer<T> each, Runnable end) {
        steps = new SteppedWork<>(SteppedWork.toTheEnd(this), items.iterator(), each, end);
        step();
    }

    private void step() {
        SteppedWork<?> now = steps;
        steps = null; // also when it throws
        progress = now.run();
        if (progress != Progress.DONE) {
            steps = now;
        }
    }

    /** Counts memory that the response is about to use, until the client has received it. */
    public void addAnswerBytes(long bytes) {
        memory.addAnswer(bytes);
        if (abandoned) {
            releaseAnswer();
        }
    }

    @Override
    public boolean isAnswerMemoryExceeded() {
        return memory.isAnswerExceeded();
    }

    /** The memory that was counted is not used, or the response is encoded. */
    public void releaseAnswer() {
        memory.releaseAnswer();
    }

    /**
     * Called when the request waits for something that may take long: from now on it does not keep
     * others from being read. On the event loop.
     *
     * @return false if too much waits already; the request then counts as before
     */
    public boolean park() {
        return answered || memory.park(heldBytes(), decodedBytes);
    }

    /** As {@link #park}, on another thread, unless the request is answered already. */
    public void parkLater() {
        if (!answered) {
            eventLoop().execute(this::park);
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
        memory.unpark();
        if (message != null) {
            ThrottleTime.settle(time, message, connection);
        }
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

    /** Returns the memory that the request uses as decoded. */
    long decodedBytes() {
        return decodedBytes;
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
        memory.unpark();
        memory.keepWhileWorking(decodedBytes);
        time.settle();
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
