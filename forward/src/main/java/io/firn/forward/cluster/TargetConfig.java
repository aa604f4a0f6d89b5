package io.firn.forward.cluster;

import io.firn.InvalidOptionException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The configuration of a Kafka producer, with what Forward needs. Immutable. */
public final class TargetConfig {
    /** What order and exactly-once depend on; another value is refused. */
    private static final Map<String, String> REQUIRED =
            Map.of(
                    ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true",
                    ProducerConfig.ACKS_CONFIG, "all");

    /** Batches wait for nothing: a transaction is sent as a whole. */
    private static final String BATCH_BYTES = "131072";

    /** What Kafka adds to a record that has the largest size a topic here accepts. */
    private static final int OVERHEAD_BYTES = 64 << 10;

    private static final int DEFAULT_REQUEST_BYTES = 1 << 20;

    private final String id;
    private final Map<String, Object> producer;
    private final Map<String, Object> admin;
    private final Map<String, Object> consumer;

    private TargetConfig(String id, Map<String, Object> values, int recordBytes) {
        this.id = id;
        this.producer = producer(values, id, recordBytes);
        this.admin = new HashMap<>(values);
        admin.keySet().retainAll(AdminClientConfig.configNames());
        this.consumer = new HashMap<>(values);
        consumer.keySet().retainAll(AdminClientConfig.configNames());
        consumer.put(ConsumerConfig.GROUP_ID_CONFIG, id);
        consumer.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        consumer.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        consumer.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        consumer.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    }

    /**
     * Checks the properties.
     *
     * @param name the name of what is forwarded
     * @param recordBytes the largest record that is sent
     * @throws InvalidOptionException when one has a value that Kafka's producer refuses, or that
     *     cannot be chosen
     */
    public static TargetConfig of(Properties properties, String name, int recordBytes) {
        String id = "firn-forward-" + name;
        Map<String, Object> values = new HashMap<>();
        for (String key : properties.stringPropertyNames()) {
            values.put(key, properties.getProperty(key));
        }
        REQUIRED.forEach((key, value) -> require(values, key, value));
        if (values.containsKey(ProducerConfig.TRANSACTIONAL_ID_CONFIG)) {
            throw new InvalidOptionException(
                    "transactional.id cannot be chosen: it is "
                            + id
                            + ", from the name; remove it from the properties");
        }
        if (!values.containsKey(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG)) {
            throw new InvalidOptionException(
                    "no bootstrap.servers: name a broker of the cluster, as host:port");
        }
        values.putIfAbsent(ProducerConfig.CLIENT_ID_CONFIG, id);
        TargetConfig config = new TargetConfig(id, values, recordBytes);
        try {
            new ProducerConfig(config.producer());
        } catch (ConfigException e) {
            throw new InvalidOptionException(e.getMessage());
        }
        return config;
    }

    private static void require(Map<String, Object> values, String key, String value) {
        Object found = values.get(key);
        if (found != null && !found.equals(value) && !(key.equals("acks") && found.equals("-1"))) {
            throw new InvalidOptionException(
                    key
                            + " has to be "
                            + value
                            + ", or else records are lost or doubled; found "
                            + found
                            + ": remove it from the properties");
        }
    }

    /** Keys of consumers and of Admin may be in the same file, and have no effect. */
    private static Map<String, Object> producer(
            Map<String, Object> values, String id, int recordBytes) {
        Map<String, Object> producer = new HashMap<>(values);
        Set<String> others = new HashSet<>(AdminClientConfig.configNames());
        others.removeAll(ProducerConfig.configNames());
        producer.keySet().removeAll(others);
        producer.putAll(REQUIRED);
        producer.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id);
        producer.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        producer.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        producer.putIfAbsent(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        int request = Math.max(DEFAULT_REQUEST_BYTES, recordBytes + OVERHEAD_BYTES);
        producer.putIfAbsent(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Integer.toString(request));
        return producer;
    }

    /** Returns the transactional id, which is the name of the group of the positions, too. */
    public String id() {
        return id;
    }

    /** Returns the addresses to begin with. */
    public String bootstrapServers() {
        return String.valueOf(producer.get(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG));
    }

    Map<String, Object> producer() {
        return new HashMap<>(producer);
    }

    Map<String, Object> admin() {
        return new HashMap<>(admin);
    }

    /** Of a consumer that is in no group, but reads what belongs to it. */
    Map<String, Object> consumer() {
        return new HashMap<>(consumer);
    }
}
