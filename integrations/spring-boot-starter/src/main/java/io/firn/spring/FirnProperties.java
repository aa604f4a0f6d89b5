package io.firn.spring;

import io.firn.CleanupPolicy;
import io.firn.Durability;
import io.firn.InvalidOptionException;
import io.firn.Survives;
import io.firn.Topic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties of a store in an application.
 *
 * @param directory the directory of the store; without it, no store is opened
 * @param tiers where records are kept, the hottest first; by default one file tier in the directory
 *     "segments" of the store
 * @param topics topics that exist from the start, with the options that are set
 * @param listener what all listeners do about failures
 * @param server a server for Kafka clients
 * @see FirnListener
 */
@ConfigurationProperties("firn")
public record FirnProperties(
        Path directory,
        @DefaultValue List<TierProperties> tiers,
        @DefaultValue List<TopicProperties> topics,
        @DefaultValue ListenerProperties listener,
        @DefaultValue ServerProperties server) {

    /** Checks that names are unique. */
    public FirnProperties {
        tiers = List.copyOf(tiers);
        topics = List.copyOf(topics);
        distinct("firn.tiers", tiers.stream().map(TierProperties::name).toList());
        distinct("firn.topics", topics.stream().map(TopicProperties::name).toList());
    }

    private static void distinct(String property, List<String> names) {
        Set<String> seen = new HashSet<>();
        for (String each : names) {
            if (!seen.add(each)) {
                throw new InvalidOptionException(
                        property + ": each name is expected once, found '" + each + "' twice");
            }
        }
    }

    private static String required(String property, String value) {
        if (value == null || value.isBlank()) {
            throw new InvalidOptionException(property + " is missing: it has no default");
        }
        return value;
    }

    /** Kinds of tiers. */
    public enum TierKind {
        /** Files in a directory. */
        FILE,
        /** Pools on persistent memory; needs the artifact firn-tier-pmem. */
        PMEM
    }

    /**
     * A tier of the store.
     *
     * @param name the label by which topics choose it
     * @param kind what it is made of
     * @param directory where its segments are
     * @param capacity how much it may hold; without it, what the file system has
     * @param declaredDurable whether a force survives a power failure on a file system that Firn
     *     does not know
     */
    public record TierProperties(
            String name,
            @DefaultValue("file") TierKind kind,
            Path directory,
            DataSize capacity,
            boolean declaredDurable) {

        /** Checks that the tier has a name and a directory. */
        public TierProperties {
            required("firn.tiers[].name", name);
            required("firn.tiers[].directory", directory == null ? null : directory.toString());
        }
    }

    /**
     * A topic that exists from the start. An option that is set wins over any change since; others
     * stay as they are.
     *
     * @param name the name of the topic
     * @param partitions the least number of partitions
     * @param durability when an append returns and what readers see: durable, or written
     * @param survives what a forced record of the topic has to survive
     * @param tiers the names of the tiers in which its segments may be
     * @param cleanup what happens to old records
     * @param retentionAge how long after it was sealed a segment is deleted
     * @param retentionSize the size of a partition above which its oldest segments are deleted
     * @param retainUntilRead the cursors for which retention waits
     * @param rollAge the age at which a segment is sealed
     * @param segmentSize the size of a segment; cannot be changed later
     * @param maxRecordSize the largest record; cannot be changed later
     */
    public record TopicProperties(
            String name,
            Integer partitions,
            Durability durability,
            Survives survives,
            List<String> tiers,
            CleanupPolicy cleanup,
            Duration retentionAge,
            DataSize retentionSize,
            List<String> retainUntilRead,
            Duration rollAge,
            DataSize segmentSize,
            DataSize maxRecordSize) {

        /** Checks the name. */
        public TopicProperties {
            Topic.checkName(required("firn.topics[].name", name));
        }
    }

    /** What a listener does when records are gone or damaged before it could read them. */
    public enum LostRecords {
        /** Ends the listener, whose health is then down. */
        STOP,
        /** Logs a warning with their offsets and goes on after them. */
        SKIP
    }

    /**
     * What all listeners do about failures.
     *
     * @param attempts how often a record is given to a method that throws, before it is put into
     *     the dead-letter topic
     * @param firstBackOff the pause before the second attempt
     * @param backOffMultiplier by how much each pause is longer than the one before
     * @param longestBackOff the longest pause
     * @param deadLetterSuffix the dead-letter topic has the name of the listener's topic and this
     * @param lostRecords what happens when records are gone or damaged before they were read
     */
    public record ListenerProperties(
            @DefaultValue("4") int attempts,
            @DefaultValue("1s") Duration firstBackOff,
            @DefaultValue("2") double backOffMultiplier,
            @DefaultValue("30s") Duration longestBackOff,
            @DefaultValue(".dlt") String deadLetterSuffix,
            @DefaultValue("stop") LostRecords lostRecords) {

        /** Checks the ranges. */
        public ListenerProperties {
            expect(attempts >= 1, "attempts is 1 or more", attempts);
            expect(firstBackOff.toMillis() >= 1, "first-back-off is 1 ms or more", firstBackOff);
            expect(backOffMultiplier >= 1, "back-off-multiplier is 1 or more", backOffMultiplier);
            expect(
                    longestBackOff.compareTo(firstBackOff) >= 0,
                    "longest-back-off is not shorter than first-back-off",
                    longestBackOff);
            expect(
                    deadLetterSuffix.matches("[a-zA-Z0-9._-]{1,100}"),
                    "dead-letter-suffix has 1 to 100 of the characters a-z A-Z 0-9 . _ -",
                    deadLetterSuffix);
        }

        private static void expect(boolean isSo, String expected, Object found) {
            if (!isSo) {
                throw new InvalidOptionException("firn.listener." + expected + ", found " + found);
            }
        }
    }

    /**
     * A server for Kafka clients; needs the artifact firn-server.
     *
     * @param port the port on 127.0.0.1, 0 for a free one; without it and without listeners among
     *     the settings, there is no server
     * @param settings other settings of the server, by their keys
     */
    public record ServerProperties(Integer port, @DefaultValue Map<String, String> settings) {

        /** Checks the range. */
        public ServerProperties {
            settings = Map.copyOf(settings);
            if (port != null && (port < 0 || port > 65_535)) {
                throw new InvalidOptionException("firn.server.port is 0 to 65,535, found " + port);
            }
        }
    }
}
