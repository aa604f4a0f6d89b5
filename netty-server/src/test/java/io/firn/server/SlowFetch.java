package io.firn.server;

import java.io.IOException;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * A client that fetches more than a socket takes at once, for {@code bin/check zero-copy}: what is
 * left of an answer is then written by one plain {@code write}, whose pointer a tracer shows.
 * Version 4 has nothing after the records.
 */
final class SlowFetch {
    private static final String TOPIC = "zero-copy";
    private static final int OLD_FETCH = 4;

    private SlowFetch() {}

    /** {@code SlowFetch PORT}. */
    public static void main(String[] arguments) throws IOException {
        try (Wire wire = new Wire(Integer.parseInt(arguments[0]))) {
            CreateTopicsRequestData create = new CreateTopicsRequestData();
            create.topics()
                    .add(
                            new CreatableTopic()
                                    .setName(TOPIC)
                                    .setNumPartitions(1)
                                    .setReplicationFactor((short) 1));
            wire.ask(ApiKeys.CREATE_TOPICS, 5, create, new CreateTopicsResponseData());
            byte[] value = new byte[900_000];
            for (int i = 0; i < 20; i++) {
                Asks.produced(wire, TOPIC, 0, Asks.ALL, Asks.batch(value));
            }
            var fetch = Asks.fetch(TOPIC, 0, 0, 40 << 20).setMaxBytes(40 << 20);
            for (int i = 0; i < 3; i++) {
                FetchResponseData answer =
                        wire.ask(ApiKeys.FETCH, OLD_FETCH, fetch, new FetchResponseData());
                System.out.println(
                        "fetched " + Asks.fetched(answer).records().sizeInBytes() + " bytes");
            }
        }
    }
}
