package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the audit log says of Kafka's clients. */
class AuditTest {
    private static final String ANONYMOUS =
            "change principal=User:ANONYMOUS address=127.0.0.1 listener=PLAINTEXT api=";

    @TempDir Path directory;

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    private static void assertHas(Logged log, String line) {
        Running.await(line, () -> log.has(line));
    }

    @Test
    void shouldTellOfAdministrativeChangesAndTheirResults() throws Exception {
        try (Logged log = new Logged("io.firn.audit");
                Running running = new Running(directory);
                Admin admin = running.admin()) {
            NewTopic topic = new NewTopic("orders", 1, (short) 1);
            var onlyValid = new CreateTopicsOptions().validateOnly(true);
            get(admin.createTopics(List.of(topic), onlyValid).all());
            get(admin.listTopics().names());
            assertFalse(log.has("change"));
            get(admin.createTopics(List.of(topic)).all());
            assertHas(log, ANONYMOUS + "CREATE_TOPICS resource=Topic:orders result=NONE");
            assertThrows(
                    ExecutionException.class, () -> get(admin.createTopics(List.of(topic)).all()));
            assertHas(
                    log,
                    ANONYMOUS + "CREATE_TOPICS resource=Topic:orders result=TOPIC_ALREADY_EXISTS");
            get(admin.createPartitions(Map.of("orders", NewPartitions.increaseTo(2))).all());
            assertHas(log, ANONYMOUS + "CREATE_PARTITIONS resource=Topic:orders result=NONE");
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, "orders");
            AlterConfigOp longer =
                    new AlterConfigOp(
                            new ConfigEntry("retention.ms", "7000"), AlterConfigOp.OpType.SET);
            get(admin.incrementalAlterConfigs(Map.of(resource, List.of(longer))).all());
            assertHas(
                    log, ANONYMOUS + "INCREMENTAL_ALTER_CONFIGS resource=TOPIC:orders result=NONE");
            get(admin.alterUserScramCredentials(List.of(user())).all());
            assertHas(
                    log,
                    ANONYMOUS + "ALTER_USER_SCRAM_CREDENTIALS resource=User:alice result=NONE");
        }
    }

    private static UserScramCredentialUpsertion user() {
        var form = new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4_096);
        return new UserScramCredentialUpsertion("alice", form, "s3cret");
    }

    @Test
    void shouldTellOfAChangeWhoseClientDoesNotWaitForTheAnswer() throws Exception {
        try (Logged log = new Logged("io.firn.audit");
                Running running = new Running(directory)) {
            running.createTopic("orders", 1, Map.of());
            try (Wire wire = new Wire(running.server())) {
                DeleteTopicsRequestData request = new DeleteTopicsRequestData();
                request.topics().add(new DeleteTopicState().setName("orders"));
                wire.send(Wire.request(ApiKeys.DELETE_TOPICS, (short) 6, request));
            }
            assertHas(log, ANONYMOUS + "DELETE_TOPICS resource=Topic:orders result=NONE");
        }
    }

    @Test
    void shouldTellWhoSignsInAndWhoFailsTo() throws Exception {
        Map<String, String> settings = new HashMap<>();
        settings.put("listeners", "PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0");
        settings.put("sasl.enabled.mechanisms", "SCRAM-SHA-256");
        settings.put("super.users", "User:ANONYMOUS");
        settings.put("connection.failed.authentication.delay.ms", "0");
        try (Logged log = new Logged("io.firn.audit");
                Running running = new Running(directory, settings)) {
            try (Admin admin = Admin.create(running.client("PLAINTEXT", Map.of()))) {
                get(admin.alterUserScramCredentials(List.of(user())).all());
            }
            String end = " address=127.0.0.1 listener=SASL_PLAINTEXT mechanism=SCRAM-SHA-256";
            for (String password : List.of("s3cret", "another")) {
                Map<String, Object> client = running.client("SASL_PLAINTEXT", Map.of());
                client.put("security.protocol", "SASL_PLAINTEXT");
                client.put("sasl.mechanism", "SCRAM-SHA-256");
                client.put(
                        "sasl.jaas.config",
                        "org.apache.kafka.common.security.scram.ScramLoginModule required"
                                + " username=\"alice\" password=\""
                                + password
                                + "\";");
                try (Admin admin = Admin.create(client)) {
                    var names = admin.listTopics().names();
                    if (password.equals("s3cret")) {
                        get(names);
                        assertHas(log, "sign-in principal=User:alice" + end);
                        assertFalse(log.has("sign-in-failed"));
                        var topic = new NewTopic("orders", 1, (short) 1);
                        var denied = admin.createTopics(List.of(topic)).all();
                        assertThrows(ExecutionException.class, () -> get(denied));
                        assertHas(
                                log,
                                "denied principal=User:alice address=127.0.0.1"
                                        + " listener=SASL_PLAINTEXT operation=CREATE"
                                        + " resource=TOPIC:orders");
                    } else {
                        assertThrows(ExecutionException.class, () -> get(names));
                        assertHas(log, "sign-in-failed user=alice" + end);
                    }
                }
            }
            assertTrue(log.has("resource=User:alice"));
        }
    }
}
