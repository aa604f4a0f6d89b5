package io.firn.server.log;

import io.firn.CleanupPolicy;
import io.firn.InvalidOptionException;
import io.firn.TopicOptions;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Who chose the values of a topic's configuration. The options of the topic say what holds; this
 * says what they return to when a client no longer names a key. A key that is neither named nor
 * among the defaults is the application's. Immutable.
 *
 * <p>As text, beside what clients have named:
 *
 * <pre>
 * retention.ms=5000               a client has named it
 * application.retention.ms=-1     what the application had chosen for it
 * default.segment.ms=604800000    what the topic got from the server's defaults: it follows them
 * </pre>
 *
 * @param named the values that clients have named, by key
 * @param application what the application had chosen, for keys that clients have named
 * @param defaults the server's defaults that the topic got, whether or not a client has named them
 *     since
 */
record TopicConfigSources(
        Map<String, String> named, Map<String, String> application, Map<String, String> defaults) {
    /** Of a topic of the application that no client has configured. */
    static final TopicConfigSources NONE = new TopicConfigSources(Map.of(), Map.of(), Map.of());

    private static final String APPLICATION = "application.";
    private static final String DEFAULT = "default.";

    /** What the choices and the options of a topic become. */
    record Change(TopicConfigSources choices, Map<String, String> texts) {
        /** Returns options with the change. */
        TopicOptions applyTo(TopicOptions options) {
            return TopicOptionKeys.apply(options, texts);
        }
    }

    TopicConfigSources {
        named = new TreeMap<>(named);
        application = new TreeMap<>(application);
        defaults = new TreeMap<>(defaults);
    }

    /** Returns those of a topic that a client creates. */
    static TopicConfigSources ofClient(
            Map<String, String> named, Map<String, String> serversDefaults) {
        Map<String, String> defaults = new HashMap<>(serversDefaults);
        defaults.keySet().retainAll(TopicOptionKeys.all());
        return new TopicConfigSources(named, Map.of(), defaults);
    }

    /**
     * Returns what {@link #toText} wrote, or an earlier version, which wrote only what is named.
     */
    static TopicConfigSources ofText(Map<String, String> text) {
        TopicConfigSources all = new TopicConfigSources(Map.of(), Map.of(), Map.of());
        text.forEach(
                (key, value) -> {
                    if (key.startsWith(APPLICATION)) {
                        all.application.put(key.substring(APPLICATION.length()), value);
                    } else if (key.startsWith(DEFAULT)) {
                        all.defaults.put(key.substring(DEFAULT.length()), value);
                    } else {
                        all.named.put(key, value);
                    }
                });
        return all;
    }

    Map<String, String> toText() {
        Map<String, String> text = new TreeMap<>(named);
        application.forEach((key, value) -> text.put(APPLICATION + key, value));
        defaults.forEach((key, value) -> text.put(DEFAULT + key, value));
        return text;
    }

    /**
     * Returns these choices without those that an application has replaced since, by changing the
     * option: it is the application's then, also where it is what the server's default was.
     */
    TopicConfigSources heldBy(TopicOptions options) {
        TopicConfigSources held = new TopicConfigSources(named, application, defaults);
        held.named
                .entrySet()
                .removeIf(
                        each ->
                                !EffectiveTopicConfig.hold(
                                        options, each.getKey(), each.getValue()));
        held.application.keySet().retainAll(held.named.keySet());
        held.defaults
                .entrySet()
                .removeIf(
                        each ->
                                named.containsKey(each.getKey())
                                        ? !held.named.containsKey(each.getKey())
                                        : !TopicOptionKeys.hold(
                                                options, each.getKey(), each.getValue()));
        return held;
    }

    /**
     * Returns the change to what clients name now. What is no longer named returns to the
     * application's choice, or to the server's default.
     */
    Change change(
            TopicOptions options,
            Map<String, String> namedNow,
            Map<String, String> serversDefaults) {
        TopicConfigSources after = new TopicConfigSources(namedNow, application, defaults);
        Map<String, String> texts = new TreeMap<>();
        for (String key : TopicOptionKeys.all()) {
            String before = named.get(key);
            String now = namedNow.get(key);
            if (now == null && before != null) {
                String returned = after.application.remove(key);
                if (returned == null) {
                    returned = serversDefaults.get(key);
                    after.defaults.put(key, returned);
                }
                texts.put(key, returned);
            } else if (now != null && !now.equals(before)) {
                if (before == null && !defaults.containsKey(key)) {
                    after.application.put(key, TopicOptionKeys.shown(options, key));
                }
                texts.put(key, now);
            }
        }
        return new Change(after, texts);
    }

    /**
     * Returns the change that makes a topic follow the server's defaults, where it does. The policy
     * stays: a topic must not be compacted, or deleted from, because of a restart. So do lags that
     * do not fit what a client has named.
     */
    Change follow(TopicOptions options, Map<String, String> serversDefaults) {
        Map<String, String> texts = new TreeMap<>();
        for (String key : defaults.keySet()) {
            String now = serversDefaults.get(key);
            boolean follows = !named.containsKey(key) && !key.equals(TopicOptionKeys.CLEANUP);
            if (follows && !now.equals(defaults.get(key))) {
                texts.put(key, now);
            }
        }
        try {
            TopicOptionKeys.apply(options, texts);
        } catch (InvalidOptionException e) {
            texts.remove(TopicOptionKeys.LEAST_LAG);
            texts.remove(TopicOptionKeys.MOST_LAG);
        }
        TopicConfigSources after = new TopicConfigSources(named, application, defaults);
        after.defaults.putAll(texts);
        return new Change(after, texts);
    }

    /**
     * Returns the change from what an earlier version wrote, or an application has changed since.
     *
     * <p>That version did not note what an application had chosen, nor who created a topic. The
     * values that hold count as the application's, so that nothing more is lost. It gave the log
     * neither the retention of a topic that is only compacted nor the compaction of one that is
     * not; and one without compaction only stored the policy.
     */
    Change upgrade(TopicOptions options) {
        Map<String, String> texts = new TreeMap<>();
        for (String key : TopicOptionKeys.all()) {
            String value = named.get(key);
            boolean isUpgraded =
                    value == null || application.containsKey(key) || defaults.containsKey(key);
            if (!isUpgraded
                    && !TopicOptionKeys.hold(options, key, value)
                    && fits(options, key, value)
                    && wasMasked(options, key)) {
                texts.put(key, value);
            }
        }
        TopicOptions upgraded = TopicOptionKeys.apply(options, texts);
        TopicConfigSources after =
                new TopicConfigSources(named, application, defaults).heldBy(upgraded);
        for (String key : after.named.keySet()) {
            if (TopicOptionKeys.contains(key) && !defaults.containsKey(key)) {
                after.application.putIfAbsent(key, TopicOptionKeys.shown(upgraded, key));
            }
        }
        return new Change(after, texts);
    }

    /** The application may have changed others since, so that no policy of a client fits. */
    private static boolean fits(TopicOptions options, String key, String value) {
        try {
            TopicOptionKeys.apply(options, Map.of(key, value));
            return true;
        } catch (NumberFormatException | InvalidOptionException e) {
            return false;
        }
    }

    private boolean wasMasked(TopicOptions options, String key) {
        CleanupPolicy has = options.cleanup();
        return switch (key) {
            case TopicOptionKeys.CLEANUP -> {
                CleanupPolicy policy =
                        TopicOptionKeys.apply(options, Map.of(key, named.get(key))).cleanup();
                yield policy == CleanupPolicy.NONE
                        ? has == CleanupPolicy.DELETE
                        : policy.isCompacting();
            }
            case "retention.ms", "retention.bytes" -> !has.isDeleting();
            default -> TopicOptionKeys.isOfCompaction(key) && !has.isCompacting();
        };
    }
}
