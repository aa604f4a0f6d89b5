package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients cannot create more partitions than the store can open again. */
class ManyPartitionsTest {
    @TempDir Path directory;
    private Running running;

    @BeforeEach
    void start() throws Exception {
        running = new Running(directory, Map.of("firn.max.partitions", "20"));
        running.createTopic("orders", 10, Map.of());
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private Errors create(Wire wire, int partitions) throws Exception {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(30_000);
        request.topics()
                .add(
                        new CreatableTopic()
                                .setName("more")
                                .setNumPartitions(partitions)
                                .setReplicationFactor((short) 1));
        return Errors.forCode(
                wire.ask(ApiKeys.CREATE_TOPICS, 7, request, new CreateTopicsResponseData())
                        .topics()
                        .find("more")
                        .errorCode());
    }

    private Errors grow(Wire wire, int partitions) throws Exception {
        CreatePartitionsRequestData request = new CreatePartitionsRequestData();
        request.topics()
                .add(
                        new CreatePartitionsTopic()
                                .setName("orders")
                                .setCount(partitions)
                                .setAssignments(null));
        return Errors.forCode(
                wire.ask(ApiKeys.CREATE_PARTITIONS, 3, request, new CreatePartitionsResponseData())
                        .results()
                        .get(0)
                        .errorCode());
    }

    private Errors mention(Wire wire) throws Exception {
        MetadataRequestData request = new MetadataRequestData().setAllowAutoTopicCreation(true);
        request.setTopics(List.of(new MetadataRequestTopic().setName("mentioned")));
        return Errors.forCode(
                wire.ask(ApiKeys.METADATA, 12, request, new MetadataResponseData())
                        .topics()
                        .find("mentioned")
                        .errorCode());
    }

    @Test
    void shouldRefuseWhatWouldPassTheLimitAndOpenAgain() throws Exception {
        try (Wire wire = new Wire(running.server())) {
            assertEquals(Errors.POLICY_VIOLATION, create(wire, 100_000));
            assertEquals(Errors.POLICY_VIOLATION, create(wire, 11));
            assertEquals(Errors.POLICY_VIOLATION, grow(wire, 21));
            assertEquals(Errors.NONE, grow(wire, 15));
            assertEquals(Errors.NONE, create(wire, 5));
            assertEquals(Errors.POLICY_VIOLATION, mention(wire));
        }
        running.restart();
        assertEquals(List.of("more", "orders"), running.store().topicNames());
        assertEquals(15, running.store().openTopic("orders").partitionCount());
    }
}
