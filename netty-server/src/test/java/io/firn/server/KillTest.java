package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.FirstRunOnly;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code kill -9} of the server's process. {@code bin/check kill --server} does it at length. */
class KillTest {
    private static final String TOPIC = "orders";

    @TempDir Path directory;

    @Test
    void shouldLoseDoubleAndReorderNothingWhenKilledUnderAProducerAndAGroup() throws Exception {
        String seen = ServerKills.run(directory, 2, 42);
        assertTrue(seen.startsWith("2 kills"), seen);
    }

    @FirstRunOnly
    @Test
    void shouldKeepWhatWasAcknowledgedWhenKilledUnderChangesOfAclsUsersAndQuotas()
            throws Exception {
        String seen = SecurityKills.run(directory, 1, 42);
        assertTrue(seen.startsWith("1 kills"), seen);
    }

    @FirstRunOnly
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldCommitAllOrNothingWhenKilledUnderTransactions(int version) throws Exception {
        String seen = TransactionKills.run(directory, 2, 42, version);
        assertTrue(seen.contains("2 kills"), seen);
    }

    /** The last batches of the old segment and the first of the new one, sent again. */
    @Test
    void shouldRecognizeARetriedBatchWhenKilledAfterARoll() throws Exception {
        try (ServerProcess server =
                new ServerProcess(directory, Map.of("log.segment.bytes", "65536"))) {
            long producerId;
            List<MemoryRecords> batches = new ArrayList<>();
            try (Wire wire = new Wire(server.port())) {
                CreateTopicsRequestData create = new CreateTopicsRequestData();
                create.topics()
                        .add(
                                new CreatableTopic()
                                        .setName(TOPIC)
                                        .setNumPartitions(1)
                                        .setReplicationFactor((short) 1));
                wire.ask(ApiKeys.CREATE_TOPICS, 5, create, new CreateTopicsResponseData());
                producerId =
                        wire.ask(
                                        ApiKeys.INIT_PRODUCER_ID,
                                        4,
                                        new InitProducerIdRequestData()
                                                .setTransactionalId(null)
                                                .setTransactionTimeoutMs(1),
                                        new InitProducerIdResponseData())
                                .producerId();
                // 20 kB each: three make a segment; killed after each step of a roll in turn.
                for (int i = 0; i < 8; i++) {
                    batches.add(Asks.batch(producerId, 2 * i, new byte[10_000], new byte[10_000]));
                }
            }
            int sent = 0;
            for (int upTo : List.of(3, 4, 8)) {
                try (Wire wire = new Wire(server.port())) {
                    for (; sent < upTo; sent++) {
                        assertOffset(2L * sent, wire, batches.get(sent));
                    }
                    // One more is under way when the end comes: there or not, both are right.
                    if (upTo < batches.size()) {
                        wire.send(Asks.produceBytes(TOPIC, 0, Asks.ALL, batches.get(upTo)));
                    }
                    server.kill();
                }
                server.start();
                try (Wire wire = new Wire(server.port())) {
                    for (int i = Math.max(0, upTo - 3); i < upTo; i++) {
                        assertOffset(2L * i, wire, batches.get(i));
                    }
                }
            }
            try (Wire wire = new Wire(server.port())) {
                assertEquals(16, Asks.fetched(wire, TOPIC, 0, 16).highWatermark());
                MemoryRecords gap = Asks.batch(producerId, 99, new byte[10]);
                assertEquals(
                        Errors.OUT_OF_ORDER_SEQUENCE_NUMBER.code(),
                        Asks.produced(wire, TOPIC, 0, Asks.ALL, gap).errorCode());
            }
        }
    }

    private static void assertOffset(long expected, Wire wire, MemoryRecords batch)
            throws java.io.IOException {
        PartitionProduceResponse answer = Asks.produced(wire, TOPIC, 0, Asks.ALL, batch);
        assertEquals(Errors.NONE.code(), answer.errorCode());
        assertEquals(expected, answer.baseOffset());
    }
}
