package io.firn.server.log;

import io.firn.BatchReader;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;

/** Hands out batches as they lie in the log. */
public final class FetchHandler implements Handler<FetchRequestData> {
    private static final int MOST_READERS = 1_000;

    private final ServedTopics topics;
    private final Executor background;
    private final int maxBytes;

    /**
     * Over the topics.
     *
     * @param background for what may have to be brought in from a disk first
     */
    public FetchHandler(ServedTopics topics, Executor background) {
        this.topics = topics;
        this.background = background;
        this.maxBytes = topics.config().integer("fetch.max.bytes");
    }

    @Override
    public void handle(Exchange exchange, FetchRequestData request) {
        if (request.sessionId() != 0) {
            // We keep no sessions, and say so: session id 0 in each answer.
            exchange.reply(
                    new FetchResponseData().setErrorCode(Errors.FETCH_SESSION_ID_NOT_FOUND.code()));
            return;
        }
        new FetchTask(this, exchange, request).start();
    }

    ServedTopics topics() {
        return topics;
    }

    Executor background() {
        return background;
    }

    int maxBytes() {
        return maxBytes;
    }

    /** A connection's readers, which remember where they were. */
    @SuppressWarnings("unchecked")
    static Map<ServedPartition, BatchReader> readersOf(Exchange exchange) {
        return (Map<ServedPartition, BatchReader>)
                exchange.connection()
                        .attachments()
                        .computeIfAbsent(FetchHandler.class, key -> new ConcurrentHashMap<>());
    }

    static void keep(
            Map<ServedPartition, BatchReader> readers, ServedPartition of, BatchReader reader) {
        if (readers.size() >= MOST_READERS) {
            readers.clear(); // they are only a short cut
        }
        readers.put(of, reader);
    }
}
