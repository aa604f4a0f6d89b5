package io.firn.shadow.source;

import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.RefusedException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The configuration of a Kafka consumer, of which those keys have an effect that concern
 * connections, security, metadata and the sizes of fetches.
 */
public final class SourceConfig {
    /** The release line whose internal classes this module is compiled against. */
    private static final String KAFKA_LINE = "4.4.";

    private static final System.Logger LOG = System.getLogger("io.firn");

    /** New topics and partitions are found when metadata is fetched again. */
    private static final String METADATA_AGE_MS = "30000";

    /**
     * The system sizes the buffer by bandwidth and delay; with the 64 KiB of Kafka's consumer, a
     * source that is 50 ms away gives 1.3 MB/s for each broker.
     */
    private static final String SYSTEM_SIZED = "-1";

    private final ConsumerConfig config;

    private SourceConfig(ConsumerConfig config) {
        this.config = config;
    }

    /**
     * Checks the properties.
     *
     * @throws InvalidOptionException when one has a value that Kafka's consumer refuses
     * @throws FirnException when Kafka's classes are of another release line
     */
    public static SourceConfig of(Properties properties) {
        checkRelease(KafkaRelease.of(ConsumerConfig.class));
        Map<String, Object> values = new HashMap<>();
        Set<String> unknown = new TreeSet<>();
        for (String name : properties.stringPropertyNames()) {
            values.put(name, properties.getProperty(name));
            if (!ConsumerConfig.configNames().contains(name)) {
                unknown.add(name);
            }
        }
        if (!unknown.isEmpty()) {
            // As Kafka's clients do: classes that are named in the configuration may have keys.
            LOG.log(System.Logger.Level.WARNING, "keys that Kafka does not know: {0}", unknown);
        }
        values.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        values.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        values.putIfAbsent(ConsumerConfig.CLIENT_ID_CONFIG, "firn-shadow");
        values.putIfAbsent(ConsumerConfig.METADATA_MAX_AGE_CONFIG, METADATA_AGE_MS);
        values.putIfAbsent(ConsumerConfig.RECEIVE_BUFFER_CONFIG, SYSTEM_SIZED);
        // Names are looked up by the shadow, again and again; Kafka's client would give up.
        values.put(ConsumerConfig.BOOTSTRAP_RESOLVE_TIMEOUT_MS_CONFIG, 0L);
        try {
            ConsumerConfig config = new ConsumerConfig(values);
            if (config.getList(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG).isEmpty()) {
                throw new InvalidOptionException(
                        "bootstrap.servers is empty: name a broker of the source, as host:port");
            }
            return new SourceConfig(config);
        } catch (ConfigException e) {
            throw new InvalidOptionException(e.getMessage());
        }
    }

    static void checkRelease(String found) {
        if (!found.startsWith(KAFKA_LINE)) {
            throw new RefusedException(
                    "the shadow needs kafka-clients "
                            + KAFKA_LINE
                            + "x, because it uses classes that change between releases; found "
                            + found
                            + ": put a "
                            + KAFKA_LINE
                            + "x on the class path");
        }
    }

    ConsumerConfig consumer() {
        return config;
    }

    /** Returns the addresses to begin with. */
    public List<String> bootstrapServers() {
        return config.getList(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG);
    }

    /**
     * Looks up the addresses to begin with.
     *
     * @throws ConfigException when none can be resolved
     */
    List<InetSocketAddress> addresses() {
        return ClientUtils.parseAndValidateAddresses(
                bootstrapServers(), config.getString(ConsumerConfig.CLIENT_DNS_LOOKUP_CONFIG));
    }

    /** Returns the pause before the first repetition of a request that failed, in ms. */
    public long retryPauseMs() {
        return config.getLong(ConsumerConfig.RETRY_BACKOFF_MS_CONFIG);
    }

    /** Returns the longest pause between repetitions, in ms. */
    public long longestRetryPauseMs() {
        return Math.max(retryPauseMs(), config.getLong(ConsumerConfig.RETRY_BACKOFF_MAX_MS_CONFIG));
    }

    int partitionBytes() {
        return config.getInt(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG);
    }

    int fetchBytes() {
        return config.getInt(ConsumerConfig.FETCH_MAX_BYTES_CONFIG);
    }

    /** Returns whether a broker answers a fetch as soon as it has any records for it. */
    public boolean isAnsweredAtOnce() {
        return leastBytes() <= 1;
    }

    int leastBytes() {
        return config.getInt(ConsumerConfig.FETCH_MIN_BYTES_CONFIG);
    }

    int longestWaitMs() {
        return config.getInt(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG);
    }
}
