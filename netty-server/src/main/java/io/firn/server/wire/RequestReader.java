package io.firn.server.wire;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** Decodes the requests of a connection and passes them to the handlers. On the event loop. */
final class RequestReader {
    private static final short API_VERSIONS_V0 = 0;

    private final ServerContext server;
    private final ConnectionMemory memory;

    RequestReader(ServerContext server, ConnectionMemory memory) {
        this.server = server;
        this.memory = memory;
    }

    /**
     * Decodes the header of a request.
     *
     * @return the exchange, which owns the frame
     * @throws RuntimeException if the header is invalid or the API is not served; the frame remains
     *     the caller's
     */
    Exchange readHeader(ExchangeOwner connection, ByteBuf frame) {
        ByteBuffer buffer = frame.nioBuffer();
        short id = buffer.getShort(buffer.position());
        short version = buffer.getShort(buffer.position() + 2);
        if (!ApiKeys.hasId(id)) {
            throw new BadRequestException("no API " + id);
        }
        ApiKeys key = ApiKeys.forId(id);
        boolean served = server.apis().isServed(key, version);
        if (!served && key != ApiKeys.API_VERSIONS) {
            throw new BadRequestException(key + " v" + version + " is not served");
        }
        if (!connection.authentication().mayAsk(key, connection.eventLoop().ticker().nanoTime())) {
            throw new BadRequestException(key + " from a client that has to authenticate first");
        }
        RequestHeaderData header = new RequestHeaderData();
        if (served) {
            header.read(BoundedReadable.ofHeader(buffer), key.requestHeaderVersion(version));
        } else {
            header.setRequestApiKey(id)
                    .setRequestApiVersion(version)
                    .setCorrelationId(buffer.getInt(buffer.position() + 4));
        }
        server.counters().onRequest(key);
        int bodyIndex = frame.readerIndex() + buffer.position();
        HandlingTime time = time(connection, key, header.clientId());
        return new Exchange(connection, header, frame, bodyIndex, time);
    }

    /** As in Kafka, what clients do to authenticate and what brokers ask for does not count. */
    private HandlingTime time(ExchangeOwner client, ApiKeys key, String clientId) {
        boolean isExempt =
                key.clusterAction
                        || key == ApiKeys.SASL_HANDSHAKE
                        || key == ApiKeys.SASL_AUTHENTICATE
                        || !client.authentication().isComplete();
        if (isExempt || !server.times().isTimeLimited()) {
            return HandlingTime.UNCOUNTED;
        }
        String id = clientId == null ? "" : clientId;
        return new HandlingTime(
                ns -> server.times().recordTime(client.principal(), id, ns), System::nanoTime);
    }

    /** Decodes the body of a request and passes it to its handler. */
    void dispatch(Exchange exchange) {
        if (exchange.time().isCounted()) {
            exchange.time().run(true, () -> handle(exchange));
        } else {
            handle(exchange);
        }
    }

    private void handle(Exchange exchange) {
        ApiKeys key = exchange.key();
        if (key == ApiKeys.API_VERSIONS && !server.apis().isServed(key, exchange.version())) {
            // Of a newer version: answered in the oldest, which every client understands.
            exchange.replyAs(API_VERSIONS_V0, server.apis().unsupportedVersions());
            return;
        }
        BoundedReadable body = BoundedReadable.ofBody(key, exchange.body());
        ApiMessage message;
        try {
            message = server.apis().parse(key, exchange.version(), body);
        } finally {
            server.decodePauses()
                    .took(
                            exchange.connection().owner(),
                            body.tookNs(),
                            exchange.eventLoop().ticker().nanoTime());
        }
        server.counters().onTrailingBytes(body.unreadBytes());
        exchange.decodedBytes(body.decodedBytes());
        memory.add(body.decodedBytes(), body.decodedBytes());
        server.apis().dispatch(exchange, message);
    }
}
