package io.firn.server.admin;

import io.firn.server.config.ConfigDocumentation;
import io.firn.server.config.ConfigKey;
import io.firn.server.config.ServerConfig;
import io.firn.server.config.TopicKeys;
import io.firn.server.log.DynamicConfig;
import io.firn.server.log.EffectiveTopicConfig;
import io.firn.server.log.ErrorMapper;
import io.firn.server.log.ServedTopic;
import io.firn.server.log.ServedTopics;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.protocol.Errors;

/** Handles DescribeConfigs, for topics, the node and its loggers. Values are those that hold. */
public final class DescribeConfigsHandler {
    private static final byte TOPIC = 2;
    private static final byte BROKER = 4;
    private static final byte LOGGER = 8;
    private static final byte FROM_TOPIC = 1;
    private static final byte FROM_LOGGER = 6;

    /** About what a value uses in a response, as an object. */
    private static final int VALUE_BYTES = 200;

    private static final int NODE_VALUES = 100;
    private static final int TOPIC_VALUES = 30;

    private final ServedTopics topics;
    private final DynamicConfig node;
    private final LoggerLevels levels = new LoggerLevels();

    /** Creates the handler. */
    public DescribeConfigsHandler(ServedTopics topics, DynamicConfig node) {
        this.topics = topics;
        this.node = node;
    }

    /** Handles DescribeConfigs. */
    public void describe(Exchange exchange, DescribeConfigsRequestData request) {
        DescribeConfigsResponseData response = new DescribeConfigsResponseData();
        // Each once: the answer is a hundred times as long as the name.
        Map<ConfigResourceName, DescribeConfigsResource> once = new LinkedHashMap<>();
        for (DescribeConfigsResource each : request.resources()) {
            once.putIfAbsent(
                    new ConfigResourceName(each.resourceType(), each.resourceName()), each);
        }
        boolean synonyms = request.includeSynonyms();
        Access access = exchange.connection().access();
        exchange.inSteps(
                once.values(),
                asked -> {
                    int values = asked.resourceType() == BROKER ? NODE_VALUES : TOPIC_VALUES;
                    exchange.addAnswerBytes((long) values * VALUE_BYTES * (synonyms ? 2 : 1));
                    DescribeConfigsResult result = result(asked, synonyms, access);
                    if (request.includeDocumentation()) {
                        document(exchange, result);
                    }
                    response.results().add(result);
                },
                () -> exchange.reply(response));
    }

    /** Texts are shared, but not their bytes in the response. */
    private static void document(Exchange exchange, DescribeConfigsResult result) {
        for (DescribeConfigsResourceResult each : result.configs()) {
            String text = ConfigDocumentation.of(each.name());
            exchange.addAnswerBytes(text == null ? 0 : text.length());
            each.setDocumentation(text);
        }
    }

    private DescribeConfigsResult result(
            DescribeConfigsResource asked, boolean synonyms, Access access) {
        DescribeConfigsResult result =
                new DescribeConfigsResult()
                        .setResourceType(asked.resourceType())
                        .setResourceName(asked.resourceName());
        try {
            if (asked.resourceType() == TOPIC) {
                access.demand(Right.DESCRIBE_TOPIC_CONFIGS, asked.resourceName());
            } else {
                access.demand(Right.DESCRIBE_NODE_CONFIGS);
            }
            result.setConfigs(describe(asked, synonyms));
        } catch (RuntimeException e) {
            result.setErrorCode(ErrorMapper.codeOf(e).code())
                    .setErrorMessage(ErrorMapper.textOf(e));
        }
        return result;
    }

    private List<DescribeConfigsResourceResult> describe(
            DescribeConfigsResource asked, boolean synonyms) {
        List<DescribeConfigsResourceResult> all =
                switch (asked.resourceType()) {
                    case TOPIC -> describeTopic(asked.resourceName(), synonyms);
                    case BROKER -> describeNode(asked.resourceName(), synonyms);
                    case LOGGER -> describeLoggers(asked.resourceName());
                    default ->
                            throw Errors.INVALID_REQUEST.exception(
                                    "Topics, brokers and loggers are configured here, not"
                                            + " resources of type "
                                            + ConfigResource.Type.forId(asked.resourceType())
                                            + " ("
                                            + asked.resourceType()
                                            + ").");
                };
        if (asked.configurationKeys() != null && !asked.configurationKeys().isEmpty()) {
            Set<String> wanted = new HashSet<>(asked.configurationKeys());
            all.removeIf(each -> !wanted.contains(each.name()));
        }
        return all;
    }

    private List<DescribeConfigsResourceResult> describeTopic(String name, boolean synonyms) {
        List<DescribeConfigsResourceResult> all = new ArrayList<>();
        EffectiveTopicConfig settings = find(name).settings();
        for (ConfigKey key : TopicKeys.inOrder()) {
            byte source = sourceOf(key.name(), settings, node);
            all.add(shown(key, settings.get(key.name()), source, false, synonyms));
        }
        return all;
    }

    /** Of all nodes, as in Kafka, what clients have set for them. */
    private List<DescribeConfigsResourceResult> describeNode(String name, boolean synonyms) {
        topics.checkNode(name);
        List<DescribeConfigsResourceResult> all = new ArrayList<>();
        if (name.isEmpty()) {
            byte source = DynamicConfig.Source.ALL_NODES.id();
            node.set(false)
                    .forEach(
                            (key, value) -> {
                                ConfigKey known = ServerConfig.key(key);
                                if (known != null) {
                                    all.add(shown(known, value, source, false, synonyms));
                                }
                            });
            return all;
        }
        node.now().described().forEach((key, value) -> all.add(shown(key, value, synonyms)));
        return all;
    }

    private DescribeConfigsResourceResult shown(ConfigKey key, String known, boolean synonyms) {
        Map<DynamicConfig.Source, String> values = node.values(key);
        byte source =
                values.isEmpty()
                        ? DynamicConfig.Source.DEFAULT.id()
                        : values.keySet().iterator().next().id();
        DescribeConfigsResourceResult result =
                shown(key, known, source, !ServerConfig.isDynamic(key.name()), false);
        if (synonyms) {
            values.forEach(
                    (from, value) ->
                            result.synonyms()
                                    .add(
                                            new DescribeConfigsSynonym()
                                                    .setName(key.name())
                                                    .setValue(key.isSecret() ? null : value)
                                                    .setSource(from.id())));
        }
        return result;
    }

    private List<DescribeConfigsResourceResult> describeLoggers(String name) {
        topics.checkNode(name);
        if (name.isEmpty()) {
            throw Errors.INVALID_REQUEST.exception("Loggers are those of a node; name it.");
        }
        List<DescribeConfigsResourceResult> all = new ArrayList<>();
        levels.all()
                .forEach(
                        (logger, level) ->
                                all.add(
                                        new DescribeConfigsResourceResult()
                                                .setName(logger)
                                                .setValue(level)
                                                .setReadOnly(LoggerLevels.isFixed(logger))
                                                .setConfigSource(FROM_LOGGER)));
        return all;
    }

    /** Returns the source of a topic's value, in the form of the protocol. */
    static byte sourceOf(String key, EffectiveTopicConfig topic, DynamicConfig node) {
        if (!topic.isDefault(key)) {
            return FROM_TOPIC; // a client, or the application, chose it for this topic
        }
        return node.sourceOfTopicDefault(key);
    }

    private ServedTopic find(String name) {
        Topic.validate(name);
        ServedTopic topic = topics.find(name);
        if (topic == null) {
            throw Errors.UNKNOWN_TOPIC_OR_PARTITION.exception();
        }
        return topic;
    }

    private static DescribeConfigsResourceResult shown(
            ConfigKey key, String known, byte source, boolean fixed, boolean synonyms) {
        String value = key.isSecret() ? null : known;
        DescribeConfigsResourceResult result =
                new DescribeConfigsResourceResult()
                        .setName(key.name())
                        .setValue(value)
                        .setReadOnly(fixed)
                        .setConfigSource(source)
                        .setIsSensitive(key.isSecret())
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
}
