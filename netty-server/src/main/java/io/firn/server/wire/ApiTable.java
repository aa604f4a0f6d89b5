package io.firn.server.wire;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** The APIs that are served, and by whom. What is not in here is not advertised. */
public final class ApiTable {
    private final Map<ApiKeys, Entry<?>> entries = new EnumMap<>(ApiKeys.class);

    private record Entry<Q extends ApiMessage>(
            short oldest, short latest, Class<Q> type, Executor executor, Handler<Q> handler) {

        void handle(Exchange exchange, ApiMessage message) {
            handler.handle(exchange, type.cast(message));
        }
    }

    /** Serves an API on the connection's event loop: the handler must not block. */
    public <Q extends ApiMessage> ApiTable serve(ApiKeys key, Class<Q> type, Handler<Q> handler) {
        return serve(key, type, null, handler);
    }

    /**
     * Serves an API through an executor; a connection's requests take turns there, so that a later
     * one, a commit for example, does not overtake.
     */
    public <Q extends ApiMessage> ApiTable serve(
            ApiKeys key, Class<Q> type, Executor executor, Handler<Q> handler) {
        // Versions that the messages call unstable are none of ours.
        entries.put(
                key,
                new Entry<>(
                        key.oldestVersion(), key.latestVersion(false), type, executor, handler));
        return this;
    }

    boolean isServed(ApiKeys key, short version) {
        Entry<?> entry = entries.get(key);
        return entry != null && version >= entry.oldest && version <= entry.latest;
    }

    /**
     * Reads a request's body. Bytes that follow it are left unread, as Kafka leaves them:
     * librdkafka sends some.
     */
    ApiMessage parse(ApiKeys key, short version, GuardedReader body) {
        ApiMessage message = key.messageType.newRequest();
        message.read(body, version);
        return message;
    }

    void dispatch(Exchange exchange, ApiMessage message) {
        Entry<?> entry = entries.get(exchange.key());
        Runnable work =
                () -> {
                    try {
                        entry.handle(exchange, message);
                    } catch (RuntimeException e) {
                        exchange.fail(e);
                    }
                };
        if (entry.executor == null) {
            work.run();
        } else {
            exchange.connection().inTurn(entry.executor, work);
        }
    }

    /** The answer to ApiVersions. */
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

    /** The answer to an ApiVersions request that is newer than we are. */
    ApiVersionsResponseData unsupportedVersions() {
        return versions().setErrorCode(Errors.UNSUPPORTED_VERSION.code());
    }
}
