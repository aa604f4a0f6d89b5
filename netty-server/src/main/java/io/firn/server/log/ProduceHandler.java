package io.firn.server.log;

import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import org.agrona.concurrent.EpochClock;
import org.apache.kafka.common.message.ProduceRequestData;

/** Appends what producers send. */
public final class ProduceHandler implements Handler<ProduceRequestData> {
    private final ServedTopics topics;
    private final EpochClock clock;
    private final Openings openings;
    private final boolean ackOneWaits;

    /** Over the topics. */
    public ProduceHandler(ServedTopics topics, EpochClock clock, Openings openings) {
        this.openings = openings;
        this.topics = topics;
        this.clock = clock;
        this.ackOneWaits = topics.config().flag("firn.acks1.waits.for.force");
    }

    @Override
    public void handle(Exchange exchange, ProduceRequestData request) {
        new ProduceTask(this, exchange, request).run();
    }

    ServedTopics topics() {
        return topics;
    }

    Openings openings() {
        return openings;
    }

    long nowMs() {
        return clock.time();
    }

    boolean waitsForForce(short acks) {
        return acks == -1 || (acks == 1 && ackOneWaits);
    }
}
