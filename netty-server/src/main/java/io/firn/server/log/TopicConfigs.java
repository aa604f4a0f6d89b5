package io.firn.server.log;

import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.Topic;
import io.firn.TopicOptions;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads and changes the configurations of topics. A change by a client changes what the client
 * names and nothing else; what it no longer names returns to what the application had chosen, or to
 * the server's default where a client has created the topic. Opening a topic changes options only
 * where these follow the server's defaults. Not thread-safe.
 */
final class TopicConfigs {
    private static final System.Logger LOG = System.getLogger("io.firn.server");

    private final TopicConfigFiles files;
    private Map<String, String> defaults;

    TopicConfigs(TopicConfigFiles files, Map<String, String> defaults) {
        this.files = files;
        this.defaults = defaults;
    }

    /** Sets the server's defaults, which topics then {@link #follow}. */
    void defaults(Map<String, String> changed) {
        defaults = changed;
    }

    /** Makes a topic follow the server's defaults, where it does. */
    void follow(ServedTopic served) {
        TopicOptions options = served.topic().options();
        TopicConfigSources held = served.choices().heldBy(options);
        TopicConfigSources followed = changed(served.topic(), held, held.follow(options, defaults));
        served.choices(followed, defaults);
    }

    /** Returns a topic of the log as clients see it. */
    ServedTopic serve(Topic topic) {
        return new ServedTopic(topic, open(topic), defaults);
    }

    private TopicConfigSources open(Topic topic) {
        TopicConfigSources choices = files.read(topic);
        try {
            TopicConfigSources.Change upgrade = choices.upgrade(topic.options());
            choices = changed(topic, choices, upgrade);
            TopicConfigSources held = choices.heldBy(topic.options());
            choices = changed(topic, held, held.follow(topic.options(), defaults));
        } catch (NumberFormatException | InvalidOptionException e) {
            warn(topic, e);
        }
        return choices;
    }

    private TopicConfigSources changed(
            Topic topic, TopicConfigSources before, TopicConfigSources.Change change) {
        if (!change.choices().equals(before)) {
            try {
                files.change(topic, before, change, () -> {});
            } catch (FirnException | InvalidOptionException e) {
                warn(topic, e);
                return change.choices().heldBy(topic.options());
            }
        }
        return change.choices();
    }

    private static void warn(Topic topic, RuntimeException e) {
        LOG.log(
                System.Logger.Level.WARNING,
                "topic {0} keeps the options that it has until the next start: {1}",
                topic.name(),
                e.getMessage());
    }

    /**
     * Returns the settings of a topic that a client creates.
     *
     * @throws InvalidOptionException for an unknown key and for a value that does not fit, by
     *     itself or with the others
     */
    EffectiveTopicConfig check(Map<String, String> named, int partitions) {
        EffectiveTopicConfig.check(named, Map.of());
        TopicOptions options = EffectiveTopicConfig.options(partitions, named, defaults);
        return new EffectiveTopicConfig(options, named, defaults);
    }

    /** Notes that a client has created a topic, durably. */
    void created(Topic topic, Map<String, String> named) {
        files.write(topic, TopicConfigSources.ofClient(named, defaults));
    }

    /**
     * Checks a change of what clients name.
     *
     * @throws InvalidOptionException see {@link #check(Map, int)}
     */
    void check(ServedTopic served, Map<String, String> named) {
        planned(served, named).applyTo(served.topic().options());
    }

    /** Changes what clients name, durably. */
    void configure(ServedTopic served, Map<String, String> named) {
        TopicOptions options = served.topic().options();
        TopicConfigSources before = served.choices().heldBy(options);
        TopicConfigSources.Change change = planned(served, named);
        files.change(served.topic(), before, change, () -> served.choices(change.choices()));
        String segment = named.get(EffectiveTopicConfig.SEGMENT_BYTES);
        if (segment != null
                && !change.choices().named().containsKey(EffectiveTopicConfig.SEGMENT_BYTES)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "topic {0}: segment.bytes={1}, which a client has set, has no effect: the size"
                            + " of segments is chosen when a topic is created, and is {2}",
                    served.name(),
                    segment,
                    Integer.toString(options.segmentBytes()));
        }
    }

    private TopicConfigSources.Change planned(ServedTopic served, Map<String, String> asked) {
        TopicOptions options = served.topic().options();
        TopicConfigSources now = served.choices().heldBy(options);
        EffectiveTopicConfig.check(asked, now.named());
        String durability = served.settings().get(EffectiveTopicConfig.DURABILITY);
        String wanted = asked.getOrDefault(EffectiveTopicConfig.DURABILITY, durability);
        if (!wanted.trim().equals(durability)) {
            throw new InvalidOptionException(
                    "firn.durability is chosen when a topic is created; "
                            + served.name()
                            + " is "
                            + durability);
        }
        Map<String, String> named = new TreeMap<>(asked);
        String segment = named.get(EffectiveTopicConfig.SEGMENT_BYTES);
        if (segment != null
                && !EffectiveTopicConfig.hold(
                        options, EffectiveTopicConfig.SEGMENT_BYTES, segment)) {
            named.remove(
                    EffectiveTopicConfig.SEGMENT_BYTES); // Kafka accepts it; here it cannot change
        }
        return now.change(options, named, defaults);
    }
}
