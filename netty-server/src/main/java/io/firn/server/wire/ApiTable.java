package io.firn.server.wire;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** The APIs that are served, with their handlers. Other APIs are not advertised. */
public final class ApiTable {
    private final Map<ApiKeys, Entry<?>> entries = new EnumMap<>(ApiKeys.class);
    private final Observer observer;

    /** Is told of requests with their responses. Thread-safe. */
    public interface Observer {
        /** Of nothing. */
        Observer NONE =
                new Observer() {
                    @Override
                    public boolean isInterestedIn(Exchange exchange) {
                        return false;
                    }

                    @Override
                    public void onAnswer(
                            Exchange exchange, ApiMessage request, ApiMessage response) {}
                };

        /** Returns whether it wants to be told of the response. Called on the event loop. */
        boolean isInterestedIn(Exchange exchange);

        /**
         * Called on the thread that answers, before the response is sent, also when the connection
         * has ended meanwhile.
         *
         * @param response null if the request has failed as a whole
         */
        void onAnswer(Exchange exchange, ApiMessage request, ApiMessage response);
    }

    /** Creates a table without APIs. */
    public ApiTable() {
        this(Observer.NONE);
    }

    /** Creates a table without APIs, of whose requests somebody is told. */
    public ApiTable(Observer observer) {
        this.observer = observer;
    }

    private record Entry<Q extends ApiMessage>(
            short oldest, short latest, Class<Q> type, Executor executor, Handler<Q> handler) {

        void handle(Exchange exchange, ApiMessage message) {
            exchange.attempt(() -> handler.handle(exchange, type.cast(message)));
        }
    }

    /** Serves an API on the connection's event loop: the handler must not block. */
    public <Q extends ApiMessage> ApiTable serve(ApiKeys key, Class<Q> type, Handler<Q> handler) {
        return serve(key, type, null, handler);
    }

    /**
     * Serves an API on an executor. The requests of one connection run there in order, so that a
     * later one, for example a commit, does not overtake an earlier one.
     */
    public <Q extends ApiMessage> ApiTable serve(
            ApiKeys key, Class<Q> type, Executor executor, Handler<Q> handler) {
        // Versions that the messages mark as unstable are not served.
        return serve(key, key.latestVersion(false), type, executor, handler);
    }

    /** As the other method, up to an older version than the latest one. */
    public <Q extends ApiMessage> ApiTable serve(
            ApiKeys key, short latest, Class<Q> type, Executor executor, Handler<Q> handler) {
        entries.put(key, new Entry<>(key.oldestVersion(), latest, type, executor, handler));
        return this;
    }

    boolean isServed(ApiKeys key, short version) {
        Entry<?> entry = entries.get(key);
        return entry != null && version >= entry.oldest && version <= entry.latest;
    }

    /**
     * Reads a request's body. As in Kafka, bytes that follow it are ignored: librdkafka sends some.
     */
    ApiMessage parse(ApiKeys key, short version, BoundedReadable body) {
        ApiMessage message = key.messageType.newRequest();
        message.read(body, version);
        return message;
    }

    void dispatch(Exchange exchange, ApiMessage message) {
        Entry<?> entry = entries.get(exchange.key());
        if (observer.isInterestedIn(exchange)) {
            exchange.observer(response -> observer.onAnswer(exchange, message, response));
        }
        if (entry.executor == null) {
            entry.handle(exchange, message);
        } else {
            exchange.handleOn(entry.executor, () -> entry.handle(exchange, message));
        }
    }

    /** Returns the response to ApiVersions. */
    public ApiVersionsResponseData versions() {
        ApiVersionsResponseData response = new ApiVersionsResponseData();
        entries.forEach(
                (key, entry) ->
                        response.apiKeys()
                                .add(
                                        new ApiVersion()
                                                .setApiKey(key.id)
                                                // Old librdkafka looks for produce 0 to tell a
                                                // broker that knows its newer requests.
                                                .setMinVersion(
                                                        key == ApiKeys.PRODUCE ? 0 : entry.oldest)
                                                .setMaxVersion(entry.latest)));
        return response;
    }

    /** Returns the response to an ApiVersions request of a version that is not served. */
    ApiVersionsResponseData unsupportedVersions() {
        return versions().setErrorCode(Errors.UNSUPPORTED_VERSION.code());
    }
}
