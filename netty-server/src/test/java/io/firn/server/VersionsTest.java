package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that say in ApiVersions which node of which cluster they want. */
class VersionsTest {
    private static final String OTHER = "AAAAAAAAAAAAAAAAAAAAAA";

    @TempDir Path directory;
    @TempDir Path another;

    private static Errors ask(Running running, String cluster, int node, String program)
            throws Exception {
        try (Wire wire = new Wire(running.server())) {
            ApiVersionsResponseData answer =
                    wire.ask(
                            ApiKeys.API_VERSIONS,
                            5,
                            new ApiVersionsRequestData()
                                    .setClusterId(cluster)
                                    .setNodeId(node)
                                    .setClientSoftwareName(program)
                                    .setClientSoftwareVersion("1"),
                            new ApiVersionsResponseData());
            Errors error = Errors.forCode(answer.errorCode());
            assertEquals(error != Errors.NONE, answer.apiKeys().isEmpty());
            return error;
        }
    }

    @Test
    void shouldSendClientsOfAnotherClusterOrNodeBackToTheirBootstrapServers() throws Exception {
        try (Running running = new Running(directory)) {
            String here = running.server().clusterId();
            assertEquals(Errors.NONE, ask(running, null, -1, "test"));
            assertEquals(Errors.NONE, ask(running, here, 1, "test"));
            assertEquals(Errors.REBOOTSTRAP_REQUIRED, ask(running, OTHER, 1, "test"));
            assertEquals(Errors.REBOOTSTRAP_REQUIRED, ask(running, here, 2, "test"));
        }
    }

    @Test
    void shouldRefuseAClusterWithoutANodeAndNamesThatAreNone() throws Exception {
        try (Running running = new Running(directory)) {
            String here = running.server().clusterId();
            assertEquals(Errors.INVALID_REQUEST, ask(running, here, -1, "test"));
            assertEquals(Errors.INVALID_REQUEST, ask(running, OTHER, -1, "test"));
            assertEquals(Errors.INVALID_REQUEST, ask(running, null, 1, "test"));
            for (String program : List.of("", "-", "two words", "\u00e9")) {
                assertEquals(Errors.INVALID_REQUEST, ask(running, null, -1, program), program);
            }
        }
    }

    @Test
    void shouldNotTellClientsWhichClusterItIsBeforeTheyHaveAuthenticated() throws Exception {
        Map<String, String> settings =
                Map.of(
                        "listeners",
                        "SASL_PLAINTEXT://127.0.0.1:0",
                        "sasl.enabled.mechanisms",
                        "SCRAM-SHA-256");
        try (Running running = new Running(directory, settings)) {
            assertEquals(Errors.NONE, ask(running, OTHER, 1, "test"));
        }
    }

    @Test
    void shouldServeClientsOfAnotherClusterThatHadItsAddress() throws Exception {
        try (Running first = new Running(directory);
                Running second = new Running(another);
                KafkaProducer<String, String> producer =
                        first.producer(
                                Map.of("reconnect.backoff.max.ms", "50", "retries", "1000000"))) {
            producer.send(new ProducerRecord<>("t", "first"))
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            int port = first.server().port();
            first.stop();
            second.stop();
            second.start(port);
            producer.send(new ProducerRecord<>("t", "second"))
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            assertEquals(1, second.store().openTopic("t").partition(0).nextOffset());
        }
    }
}
