package io.firn.server.log;

import static io.firn.server.log.EffectiveTopicConfig.DURABILITY;
import static io.firn.server.log.EffectiveTopicConfig.SEGMENT_BYTES;

import io.firn.Durability;
import io.firn.InvalidOptionException;
import io.firn.TopicOptions;
import io.firn.server.config.TopicKeys;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The options of a topic by the keys that clients know them by, for a store without a server. */
public final class TopicTexts {
    private TopicTexts() {}

    /** Returns the options that have a key, by it. */
    public static Map<String, String> of(TopicOptions options) {
        Map<String, String> texts = new TreeMap<>();
        TopicOptionKeys.all().forEach(key -> texts.put(key, TopicOptionKeys.shown(options, key)));
        texts.put(SEGMENT_BYTES, Integer.toString(options.segmentBytes()));
        texts.put(DURABILITY, options.durability().name().toLowerCase(Locale.ROOT));
        return texts;
    }

    /**
     * Returns the options of a new topic: what is not named is as in the log, not as in a server.
     *
     * @throws InvalidOptionException for a key that is unknown or stands for no option, and for a
     *     value that does not fit
     */
    public static TopicOptions create(int partitions, Map<String, String> named) {
        check(named);
        TopicOptions options = TopicOptions.defaults().withPartitions(partitions);
        String segment = named.get(SEGMENT_BYTES);
        if (segment != null) {
            options = options.withSegmentBytes(Integer.parseInt(segment.trim()));
        }
        if (named.getOrDefault(DURABILITY, "").trim().equals("written")) {
            options = options.withDurability(Durability.WRITTEN);
        }
        return TopicOptionKeys.apply(options, named);
    }

    /**
     * Returns options with other values of some keys.
     *
     * @throws InvalidOptionException as {@link #create}, and for what cannot be changed
     */
    public static TopicOptions change(TopicOptions options, Map<String, String> named) {
        check(named);
        Map<String, String> now = of(options);
        for (String fixed : new String[] {SEGMENT_BYTES, DURABILITY}) {
            String value = named.getOrDefault(fixed, now.get(fixed)).trim();
            if (!value.equals(now.get(fixed))) {
                throw new InvalidOptionException(
                        fixed
                                + " is chosen when a topic is created, and is "
                                + now.get(fixed)
                                + ", not "
                                + value);
            }
        }
        return TopicOptionKeys.apply(options, named);
    }

    private static void check(Map<String, String> named) {
        named.forEach(
                (key, value) -> {
                    TopicKeys.of(key).check(value);
                    boolean isOption = key.equals(SEGMENT_BYTES) || key.equals(DURABILITY);
                    if (!isOption && !TopicOptionKeys.contains(key)) {
                        throw new InvalidOptionException(
                                key + " is kept by a server: change it there");
                    }
                });
    }
}
