package io.firn.shadow.source;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/**
 * The release of kafka-clients, from the file in which its jar has it. The class of Kafka's that
 * reads it is in another package in each release.
 */
final class KafkaRelease {
    private static final String FILE = "/kafka/kafka-version.properties";

    private KafkaRelease() {}

    /** Returns the release that a class of Kafka's is from; "unknown" if its jar does not say. */
    static String of(Class<?> ofKafka) {
        try (InputStream in = ofKafka.getResourceAsStream(FILE)) {
            if (in == null) {
                return "unknown";
            }
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version", "unknown").trim();
        } catch (IOException e) {
            return "unknown";
        }
    }
}
