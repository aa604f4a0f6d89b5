package io.firn.server.tx;

import io.firn.host.HostedStore;
import io.firn.host.ProducerIdentity;
import io.firn.server.log.ServedTopics;
import io.firn.server.log.TransactionMemory;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import java.time.Duration;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * Handles InitProducerId: returns a new id, with epoch 0; or for a transactional id its producer's
 * id with a new epoch, which fences the producer before.
 */
final class InitProducerIdHandler implements Handler<InitProducerIdRequestData> {
    private static final short FIRST_WITH_FENCED = 4;
    private static final short NO_EPOCH = -1;
    private static final long NO_ID = -1;

    private final HostedStore store;
    private final TransactionMemory memory;
    private final TransactionalIdShares names;
    private final int maxTimeoutMs;

    /**
     * Creates the handler.
     *
     * @param maxTimeoutMs the longest time-out of transactions that a client may ask for
     */
    InitProducerIdHandler(ServedTopics topics, int maxTimeoutMs) {
        this.store = topics.store();
        this.memory = topics.transactionMemory();
        this.names = new TransactionalIdShares(store.transactions());
        this.maxTimeoutMs = maxTimeoutMs;
    }

    @Override
    public void handle(Exchange exchange, InitProducerIdRequestData request) {
        Access access = exchange.connection().access();
        if (request.transactionalId() != null) {
            access.demand(Right.INIT_TRANSACTIONS, request.transactionalId());
            exchange.reply(open(exchange, request));
            return;
        }
        if (!access.has(Right.INIT_PRODUCER_ID)
                && !access.hasOnAny(Right.INIT_PRODUCER_ID_TO_WRITE)) {
            access.demand(Right.INIT_PRODUCER_ID);
        }
        exchange.reply(
                new InitProducerIdResponseData()
                        .setProducerId(store.newProducerId())
                        .setProducerEpoch((short) 0));
    }

    private InitProducerIdResponseData open(Exchange exchange, InitProducerIdRequestData request) {
        boolean hasId = request.producerId() != NO_ID;
        boolean hasEpoch = request.producerEpoch() != NO_EPOCH;
        if (hasId != hasEpoch || request.transactionalId().isEmpty()) {
            return refused(Errors.INVALID_REQUEST);
        }
        int timeoutMs = request.transactionTimeoutMs();
        if (timeoutMs <= 0 || timeoutMs > maxTimeoutMs) {
            return refused(Errors.INVALID_TRANSACTION_TIMEOUT);
        }
        ProducerIdentity expected =
                hasId ? new ProducerIdentity(request.producerId(), request.producerEpoch()) : null;
        String name = request.transactionalId();
        try {
            names.onOpen(name, exchange.connection().owner());
            ProducerIdentity opened =
                    store.transactions().open(name, Duration.ofMillis(timeoutMs), expected);
            memory.forget(name);
            return new InitProducerIdResponseData()
                    .setProducerId(opened.id())
                    .setProducerEpoch((short) opened.epoch());
        } catch (RuntimeException e) {
            names.onRefused(name);
            boolean knowsFenced = exchange.version() >= FIRST_WITH_FENCED;
            return refused(CoordinatorErrors.ofJoining(e, knowsFenced));
        }
    }

    private static InitProducerIdResponseData refused(Errors error) {
        return new InitProducerIdResponseData()
                .setErrorCode(error.code())
                .setProducerId(NO_ID)
                .setProducerEpoch(NO_EPOCH);
    }
}
