package io.firn.server.admin;

import io.firn.InvalidOptionException;
import io.firn.server.config.ConfigKey;
import io.firn.server.config.ConfigType;
import io.firn.server.config.TopicKeys;
import io.firn.server.log.DuplicateNames;
import io.firn.server.log.DynamicConfig;
import io.firn.server.log.ErrorMapper;
import io.firn.server.log.ServedTopic;
import io.firn.server.log.ServedTopics;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * Changes the configuration of topics and of the node. The changes of a resource are applied
 * together or not at all. They are checked in Kafka's order: duplicate resources, the form of the
 * changes, the topic's name, the values, and last whether the topic exists.
 */
public final class AlterConfigsHandler {
    private static final byte TOPIC = 2;
    private static final byte BROKER = 4;
    private static final byte LOGGER = 8;
    private static final byte SET = 0;
    private static final byte DELETE = 1;
    private static final byte APPEND = 2;
    private static final byte SUBTRACT = 3;

    private final ServedTopics topics;
    private final DynamicConfigChanges node;

    /** Creates the handlers. */
    public AlterConfigsHandler(ServedTopics topics, DynamicConfig node) {
        this.topics = topics;
        this.node = new DynamicConfigChanges(topics, node, new LoggerLevels());
    }

    /** Handles IncrementalAlterConfigs. */
    public void alter(Exchange exchange, IncrementalAlterConfigsRequestData request) {
        IncrementalAlterConfigsResponseData response = new IncrementalAlterConfigsResponseData();
        DuplicateNames<ConfigResourceName> duplicates =
                new DuplicateNames<ConfigResourceName>(
                        request.resources().stream().map(each -> resource(each)));
        exchange.changeInSteps(
                request.resources(),
                asked -> {
                    var result =
                            new IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse()
                                    .setResourceType(asked.resourceType())
                                    .setResourceName(asked.resourceName());
                    try {
                        duplicates.check(resource(asked), asked.resourceName());
                        alter(exchange, asked, request.validateOnly());
                    } catch (RuntimeException e) {
                        result.setErrorCode(codeOf(e).code())
                                .setErrorMessage(ErrorMapper.textOf(e));
                    }
                    response.responses().add(result);
                },
                () -> exchange.reply(response));
    }

    private static ConfigResourceName resource(
            IncrementalAlterConfigsRequestData.AlterConfigsResource asked) {
        return new ConfigResourceName(asked.resourceType(), asked.resourceName());
    }

    private void alter(
            Exchange exchange,
            IncrementalAlterConfigsRequestData.AlterConfigsResource asked,
            boolean validateOnly) {
        demand(
                exchange,
                asked.resourceType(),
                asked.resourceName(),
                Right.ALTER_TOPIC_CONFIGS,
                Right.ALTER_NODE_CONFIGS);
        checkChanges(asked.configs());
        switch (asked.resourceType()) {
            case BROKER -> node.alter(asked.resourceName(), asked.configs(), validateOnly);
            case LOGGER -> node.alterLevels(asked.resourceName(), asked.configs(), validateOnly);
            default -> alterTopic(asked, validateOnly);
        }
    }

    private void alterTopic(
            IncrementalAlterConfigsRequestData.AlterConfigsResource asked, boolean validateOnly) {
        checkTopic(asked.resourceType(), asked.resourceName());
        configure(
                asked.resourceName(),
                topic -> {
                    Map<String, String> set = topic == null ? Map.of() : topic.settings().named();
                    Map<String, String> changed = new TreeMap<>(set);
                    asked.configs().forEach(each -> change(topic, changed, each));
                    return changed;
                },
                validateOnly);
    }

    private static void checkChanges(Collection<AlterableConfig> changes) {
        Set<String> named = new HashSet<>();
        for (AlterableConfig each : changes) {
            byte operation = each.configOperation();
            checkKey(named, each.name(), operation == DELETE ? "" : each.value());
            if (operation < SET || operation > SUBTRACT) {
                // Kafka fails unexpectedly here, and this is the error that its clients see.
                throw Errors.UNKNOWN_SERVER_ERROR.exception(
                        "A change is 0 (set), 1 (delete), 2 (append) or 3 (subtract), not "
                                + operation
                                + ".");
            }
        }
    }

    private static void checkKey(Set<String> named, String name, String value) {
        if (value == null) {
            throw Errors.INVALID_REQUEST.exception(
                    "There is no value for " + name + "; to unset a key, delete it.");
        }
        if (!named.add(name)) {
            throw Errors.INVALID_REQUEST.exception(name + " is named more than once.");
        }
    }

    private void change(ServedTopic topic, Map<String, String> set, AlterableConfig change) {
        String name = change.name();
        switch (change.configOperation()) {
            case SET -> set.put(name, change.value());
            case DELETE -> set.remove(name);
            default -> {
                ConfigKey key = TopicKeys.of(name);
                if (key.type() != ConfigType.LIST) {
                    throw new InvalidOptionException(name + " is no list: it can be set only");
                }
                String before = set.get(name);
                String now =
                        before != null
                                ? before
                                : topic == null
                                        ? topics.check(set).get(name)
                                        : topic.settings().get(name);
                Set<String> items = new LinkedHashSet<>(ConfigType.itemsOf(now));
                List<String> changed = ConfigType.itemsOf(change.value());
                if (change.configOperation() == APPEND) {
                    items.addAll(changed);
                } else {
                    items.removeAll(changed);
                }
                set.put(name, String.join(",", items));
            }
        }
    }

    /** Handles AlterConfigs: keys that are not named return to their defaults. */
    public void replace(Exchange exchange, AlterConfigsRequestData request) {
        AlterConfigsResponseData response = new AlterConfigsResponseData();
        DuplicateNames<ConfigResourceName> duplicates =
                new DuplicateNames<ConfigResourceName>(
                        request.resources().stream().map(each -> resource(each)));
        exchange.changeInSteps(
                request.resources(),
                asked -> {
                    var result =
                            new AlterConfigsResponseData.AlterConfigsResourceResponse()
                                    .setResourceType(asked.resourceType())
                                    .setResourceName(asked.resourceName());
                    try {
                        duplicates.check(resource(asked), asked.resourceName());
                        replace(exchange, asked, request.validateOnly());
                    } catch (RuntimeException e) {
                        result.setErrorCode(codeOf(e).code())
                                .setErrorMessage(ErrorMapper.textOf(e));
                    }
                    response.responses().add(result);
                },
                () -> exchange.reply(response));
    }

    private static ConfigResourceName resource(AlterConfigsResource asked) {
        return new ConfigResourceName(asked.resourceType(), asked.resourceName());
    }

    private void replace(Exchange exchange, AlterConfigsResource asked, boolean validateOnly) {
        demand(
                exchange,
                asked.resourceType(),
                asked.resourceName(),
                Right.REPLACE_TOPIC_CONFIGS,
                Right.REPLACE_NODE_CONFIGS);
        Map<String, String> set = new TreeMap<>();
        Set<String> named = new HashSet<>();
        for (var each : asked.configs()) {
            checkKey(named, each.name(), each.value());
            set.put(each.name(), each.value());
        }
        if (asked.resourceType() == BROKER) {
            node.replace(asked.resourceName(), set, validateOnly);
            return;
        }
        checkTopic(asked.resourceType(), asked.resourceName());
        configure(asked.resourceName(), topic -> set, validateOnly);
    }

    private static void demand(
            Exchange exchange, byte type, String name, Right ofTopic, Right ofNode) {
        if (type == TOPIC) {
            exchange.connection().access().demand(ofTopic, name);
        } else {
            exchange.connection().access().demand(ofNode);
        }
    }

    private static void checkTopic(byte type, String name) {
        if (type != TOPIC) {
            throw Errors.INVALID_REQUEST.exception(
                    "Topics and brokers can be configured here, and the levels of loggers one by"
                            + " one.");
        }
        if (name.isEmpty()) {
            throw Errors.INVALID_REQUEST.exception("The topic has no name.");
        }
        Topic.validate(name);
    }

    private void configure(
            String name, Function<ServedTopic, Map<String, String>> change, boolean validateOnly) {
        if (!topics.configure(name, change, validateOnly)) {
            throw Errors.UNKNOWN_TOPIC_OR_PARTITION.exception();
        }
    }

    private static Errors codeOf(RuntimeException e) {
        return e instanceof InvalidOptionException ? Errors.INVALID_CONFIG : ErrorMapper.codeOf(e);
    }
}
