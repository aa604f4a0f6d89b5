package io.firn.server.log;

import io.firn.server.quota.QuotaUsage;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import org.agrona.concurrent.EpochClock;
import org.apache.kafka.common.message.ProduceRequestData;

/** Handles Produce: appends batches to the log. */
public final class ProduceHandler implements Handler<ProduceRequestData> {
    private final ProduceAppender appender;
    private final DecompressionQueue decompression;
    private final ByteRateQuotas quotas;

    /**
     * Creates the handler.
     *
     * @param clock the time for topics with {@code LogAppendTime}, in ms
     * @param decompression where batches are appended that have to be decompressed
     * @param rates how much of their quotas producers have used
     * @param space while it is low, batches are refused
     */
    public ProduceHandler(
            ServedTopics topics,
            EpochClock clock,
            DecompressionQueue decompression,
            QuotaUsage rates,
            FreeSpace space) {
        this.appender =
                new ProduceAppender(
                        topics, clock, topics.config().flag("firn.acks1.waits.for.force"), space);
        this.decompression = decompression;
        this.quotas = new ByteRateQuotas(rates);
    }

    @Override
    public void handle(Exchange exchange, ProduceRequestData request) {
        int throttleMs = quotas.onProduce(exchange);
        new ProduceTask(appender, decompression, exchange, request, throttleMs).run();
    }
}
