package io.firn.server.log;

import io.firn.LogStore;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.Errors;

/** Handles InitProducerId: returns a new id, with epoch 0. */
public final class ProducerIds implements Handler<InitProducerIdRequestData> {
    private final LogStore store;

    /** Creates the handler. */
    public ProducerIds(LogStore store) {
        this.store = store;
    }

    @Override
    public void handle(Exchange exchange, InitProducerIdRequestData request) {
        InitProducerIdResponseData response = new InitProducerIdResponseData();
        if (request.transactionalId() != null) {
            // There are no transactions. All clients treat this error as fatal.
            exchange.reply(
                    response.setErrorCode(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED.code())
                            .setProducerId(-1)
                            .setProducerEpoch((short) -1));
            return;
        }
        Access access = exchange.connection().access();
        if (!access.has(Right.INIT_PRODUCER_ID)
                && !access.hasOnAny(Right.INIT_PRODUCER_ID_TO_WRITE)) {
            access.demand(Right.INIT_PRODUCER_ID);
        }
        exchange.reply(response.setProducerId(store.newProducerId()).setProducerEpoch((short) 0));
    }
}
