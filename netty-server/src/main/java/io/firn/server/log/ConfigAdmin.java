package io.firn.server.log;

import io.firn.InvalidOptionException;
import io.firn.server.config.ConfigKey;
import io.firn.server.config.ConfigType;
import io.firn.server.config.TopicKeys;
import io.firn.server.wire.Exchange;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * Shows and changes what is configured: topics in both directions, the node to be looked at. What
 * was set is shown as it was set.
 */
public final class ConfigAdmin {
    private static final byte TOPIC = 2;
    private static final byte BROKER = 4;
    private static final byte SET = 0;
    private static final byte DELETE = 1;
    private static final byte APPEND = 2;
    private static final byte SUBTRACT = 3;
    private static final byte FROM_TOPIC = 1;
    private static final byte FROM_FILE = 4;
    private static final byte FROM_DEFAULT = 5;

    private final ServedTopics topics;

    /** Over the topics. */
    public ConfigAdmin(ServedTopics topics) {
        this.topics = topics;
    }

    // ---- describe

    /** Answers DescribeConfigs. */
    public void describe(Exchange exchange, DescribeConfigsRequestData request) {
        DescribeConfigsResponseData response = new DescribeConfigsResponseData();
        for (DescribeConfigsResource asked : request.resources()) {
            DescribeConfigsResult result =
                    new DescribeConfigsResult()
                            .setResourceType(asked.resourceType())
                            .setResourceName(asked.resourceName());
            try {
                result.setConfigs(describe(asked, request.includeSynonyms()));
            } catch (RuntimeException e) {
                result.setErrorCode(Failures.codeOf(e).code()).setErrorMessage(e.getMessage());
            }
            response.results().add(result);
        }
        exchange.reply(response);
    }

    private List<DescribeConfigsResourceResult> describe(
            DescribeConfigsResource asked, boolean synonyms) {
        List<DescribeConfigsResourceResult> all = new ArrayList<>();
        if (asked.resourceType() == TOPIC) {
            ServedTopic topic = find(asked.resourceName());
            TopicSettings settings = topic.settings();
            for (ConfigKey key : TopicKeys.inOrder()) {
                boolean isSet = settings.set().containsKey(key.name());
                byte source = isSet ? FROM_TOPIC : FROM_DEFAULT;
                all.add(shown(key, settings.get(key.name()), source, false, synonyms));
            }
        } else if (asked.resourceType() == BROKER) {
            checkNode(asked.resourceName());
            if (!asked.resourceName().isEmpty()) {
                topics.config()
                        .described()
                        .forEach(
                                (key, value) -> {
                                    boolean given = topics.config().has(key.name());
                                    byte source = given ? FROM_FILE : FROM_DEFAULT;
                                    all.add(shown(key, value, source, true, synonyms));
                                });
            }
        } else {
            throw Errors.INVALID_REQUEST.exception(
                    "Topics and brokers are configured here, not resources of type "
                            + asked.resourceType()
                            + ".");
        }
        if (asked.configurationKeys() != null && !asked.configurationKeys().isEmpty()) {
            all.removeIf(each -> !asked.configurationKeys().contains(each.name()));
        }
        return all;
    }

    private ServedTopic find(String name) {
        ServedTopic topic = topics.find(name);
        if (topic == null) {
            throw Errors.UNKNOWN_TOPIC_OR_PARTITION.exception();
        }
        return topic;
    }

    private void checkNode(String name) {
        if (!name.isEmpty() && !name.equals(Integer.toString(topics.nodeId()))) {
            throw Errors.INVALID_REQUEST.exception(
                    "The only node is " + topics.nodeId() + ", not " + name + ".");
        }
    }

    private static DescribeConfigsResourceResult shown(
            ConfigKey key, String value, byte source, boolean fixed, boolean synonyms) {
        DescribeConfigsResourceResult result =
                new DescribeConfigsResourceResult()
                        .setName(key.name())
                        .setValue(value)
                        .setReadOnly(fixed)
                        .setConfigSource(source)
                        .setConfigType(key.type().id());
        if (synonyms) {
            result.synonyms()
                    .add(
                            new DescribeConfigsSynonym()
                                    .setName(key.name())
                                    .setValue(value)
                                    .setSource(source));
        }
        return result;
    }

    // ---- alter

    /** Answers IncrementalAlterConfigs. */
    public void alter(Exchange exchange, IncrementalAlterConfigsRequestData request) {
        IncrementalAlterConfigsResponseData response = new IncrementalAlterConfigsResponseData();
        for (var asked : request.resources()) {
            var result =
                    new IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse()
                            .setResourceType(asked.resourceType())
                            .setResourceName(asked.resourceName());
            try {
                ServedTopic topic = topicToAlter(asked.resourceType(), asked.resourceName());
                Map<String, String> set = new TreeMap<>(topic.settings().set());
                for (AlterableConfig each : asked.configs()) {
                    alter(topic, set, each);
                }
                configure(topic, set, request.validateOnly());
            } catch (RuntimeException e) {
                result.setErrorCode(codeOf(e).code()).setErrorMessage(e.getMessage());
            }
            response.responses().add(result);
        }
        exchange.reply(response);
    }

    private static void alter(ServedTopic topic, Map<String, String> set, AlterableConfig change) {
        String name = change.name();
        ConfigKey key = TopicKeys.of(name);
        switch (change.configOperation()) {
            case SET -> set.put(name, change.value());
            case DELETE -> set.remove(name);
            case APPEND, SUBTRACT -> {
                if (key.type() != ConfigType.LIST) {
                    throw new InvalidOptionException(name + " is no list: it can be set only");
                }
                String now = set.containsKey(name) ? set.get(name) : topic.settings().get(name);
                Set<String> items = new LinkedHashSet<>(itemsOf(now));
                if (change.configOperation() == APPEND) {
                    items.addAll(itemsOf(change.value()));
                } else {
                    items.removeAll(itemsOf(change.value()));
                }
                set.put(name, String.join(",", items));
            }
            default ->
                    throw Errors.INVALID_REQUEST.exception(
                            "unknown operation " + change.configOperation());
        }
    }

    private static List<String> itemsOf(String list) {
        List<String> items = new ArrayList<>();
        for (String item : (list == null ? "" : list).split(",")) {
            if (!item.isBlank()) {
                items.add(item.trim());
            }
        }
        return items;
    }

    /** Answers AlterConfigs: what is not named goes back to its default. */
    public void replace(Exchange exchange, AlterConfigsRequestData request) {
        AlterConfigsResponseData response = new AlterConfigsResponseData();
        for (var asked : request.resources()) {
            var result =
                    new AlterConfigsResponseData.AlterConfigsResourceResponse()
                            .setResourceType(asked.resourceType())
                            .setResourceName(asked.resourceName());
            try {
                ServedTopic topic = topicToAlter(asked.resourceType(), asked.resourceName());
                Map<String, String> set = new TreeMap<>();
                asked.configs().forEach(each -> set.put(each.name(), each.value()));
                configure(topic, set, request.validateOnly());
            } catch (RuntimeException e) {
                result.setErrorCode(codeOf(e).code()).setErrorMessage(e.getMessage());
            }
            response.responses().add(result);
        }
        exchange.reply(response);
    }

    private ServedTopic topicToAlter(byte type, String name) {
        if (type != TOPIC) {
            throw Errors.INVALID_REQUEST.exception(
                    "Topics can be configured here; a node is by its properties file.");
        }
        return find(name);
    }

    private void configure(ServedTopic topic, Map<String, String> set, boolean onlyCheck) {
        topics.check(topic, set);
        if (!onlyCheck) {
            topics.configure(topic, set);
        }
    }

    private static Errors codeOf(RuntimeException e) {
        return e instanceof InvalidOptionException ? Errors.INVALID_CONFIG : Failures.codeOf(e);
    }
}
