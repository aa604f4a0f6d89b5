package io.firn.embedder;

import io.firn.LogStore;
import io.firn.file.FileTier;
import io.firn.server.FirnServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * An application that has a server inside, and Kafka's clients in a version of its own beside it,
 * which sign in by PLAIN and by SCRAM over TLS. Says which one that is; ends with 0 when all that
 * was produced was consumed.
 */
public final class Embedder {
    private static final int RECORDS = 1_000;
    private static final int ENOUGH_POLLS = 600;

    private Embedder() {}

    /** {@code Embedder DIRECTORY}. */
    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        System.out.println(FirnServer.class.getModule());
        int next = 0;
        Path keys = directory.resolve("keys.p12");
        makeKeys(keys);
        try (LogStore store =
                        LogStore.at(directory.resolve("store"))
                                .tier(FileTier.at(directory.resolve("tier")))
                                .open();
                FirnServer server = secured(store, keys).start()) {
            addUser(client(server, keys, "PLAIN", "plain.PlainLoginModule"));
            Map<String, Object> client =
                    client(server, keys, "SCRAM-SHA-512", "scram.ScramLoginModule");
            produce(new java.util.HashMap<>(client));
            Map<String, Object> settings = new java.util.HashMap<>(client);
            settings.put("group.id", "g");
            settings.put("auto.offset.reset", "earliest");
            try (KafkaConsumer<String, String> consumer =
                    new KafkaConsumer<>(
                            settings, new StringDeserializer(), new StringDeserializer())) {
                consumer.subscribe(List.of("orders"));
                for (int i = 0; i < ENOUGH_POLLS && next < RECORDS; i++) {
                    for (ConsumerRecord<String, String> each :
                            consumer.poll(Duration.ofMillis(100))) {
                        if (!each.value().equals("v" + next++)) {
                            throw new IllegalStateException(each + " is number " + (next - 1));
                        }
                    }
                }
                consumer.commitSync();
            }
        }
        System.exit(next == RECORDS ? 0 : 1);
    }

    private static void makeKeys(Path file) throws Exception {
        String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        List<String> command =
                List.of(
                        keytool,
                        "-genkeypair",
                        "-alias",
                        "it",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=it",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "secret",
                        "-keystore",
                        file.toString());
        int ended = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (ended != 0) {
            throw new IllegalStateException("keytool has ended with " + ended);
        }
    }

    private static FirnServer.Builder secured(LogStore store, Path keys) {
        return FirnServer.of(store)
                .set("listeners", "SASL_SSL://127.0.0.1:0")
                .set("super.users", "User:alice")
                // Kafka's names in the configuration stay what they are, whatever is relocated.
                .set(
                        "authorizer.class.name",
                        "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .set("ssl.keystore.location", keys)
                .set("ssl.keystore.password", "secret")
                .set("sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-512")
                .set(
                        "listener.name.sasl_ssl.plain.sasl.jaas.config",
                        "org.apache.kafka.common.security.plain.PlainLoginModule required"
                                + " user_alice=\"alices\";");
    }

    private static Map<String, Object> client(
            FirnServer server, Path keys, String mechanism, String module) {
        Map<String, Object> all = new java.util.HashMap<>();
        all.put("bootstrap.servers", server.bootstrapServers());
        all.put("security.protocol", "SASL_SSL");
        all.put("ssl.truststore.location", keys.toString());
        all.put("ssl.truststore.password", "secret");
        all.put("sasl.mechanism", mechanism);
        all.put(
                "sasl.jaas.config",
                "org.apache.kafka.common.security."
                        + module
                        + " required username=\"alice\" password=\"alices\";");
        return all;
    }

    private static void addUser(Map<String, Object> client) throws Exception {
        try (Admin admin = Admin.create(client)) {
            ScramCredentialInfo form = new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096);
            admin.alterUserScramCredentials(
                            List.of(new UserScramCredentialUpsertion("alice", form, "alices")))
                    .all()
                    .get(60, TimeUnit.SECONDS);
        }
    }

    private static void produce(Map<String, Object> settings) {
        settings.put("compression.type", "zstd");
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < RECORDS; i++) {
                var unused = producer.send(new ProducerRecord<>("orders", "v" + i));
            }
            producer.flush();
            producer.metrics().values().stream()
                    .filter(each -> each.metricName().group().equals("app-info"))
                    .filter(each -> each.metricName().name().equals("version"))
                    .forEach(each -> System.out.println("version " + each.metricValue()));
        }
    }
}
