package io.firn.server.admin;

import io.firn.InvalidOptionException;
import io.firn.server.config.ConfigKey;
import io.firn.server.config.ConfigType;
import io.firn.server.config.ServerConfig;
import io.firn.server.log.DynamicConfig;
import io.firn.server.log.ErrorMapper;
import io.firn.server.log.ServedTopics;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.protocol.Errors;

/** Changes the configuration of the node, or of all nodes, and the levels of its loggers. */
final class DynamicConfigChanges {
    private static final byte SET = 0;
    private static final byte DELETE = 1;
    private static final byte APPEND = 2;

    private final ServedTopics topics;
    private final DynamicConfig node;
    private final LoggerLevels levels;

    DynamicConfigChanges(ServedTopics topics, DynamicConfig node, LoggerLevels levels) {
        this.topics = topics;
        this.node = node;
        this.levels = levels;
    }

    /** Returns whether a name is that of the node; an empty one is that of all nodes. */
    private boolean isNode(String name) {
        topics.checkNode(name);
        return !name.isEmpty();
    }

    /** Makes changes that were checked for their form. */
    void alter(String name, Collection<AlterableConfig> changes, boolean validateOnly) {
        boolean ofNode = isNode(name);
        for (AlterableConfig each : changes) {
            checkList(each);
        }
        change(ofNode, before -> changed(before, changes), validateOnly);
    }

    private static void checkList(AlterableConfig change) {
        ConfigKey key = ServerConfig.key(change.name());
        if (change.configOperation() > DELETE && key != null && key.type() != ConfigType.LIST) {
            throw new InvalidOptionException(change.name() + " is no list: it can be set only");
        }
    }

    private Map<String, String> changed(
            Map<String, String> set, Collection<AlterableConfig> changes) {
        for (AlterableConfig each : changes) {
            switch (each.configOperation()) {
                case SET -> set.put(each.name(), each.value());
                case DELETE -> set.remove(each.name());
                default -> set.put(each.name(), changedList(each, set.get(each.name())));
            }
        }
        return set;
    }

    private String changedList(AlterableConfig change, String before) {
        boolean isKnown = ServerConfig.key(change.name()) != null;
        String now = before != null || !isKnown ? before : node.now().text(change.name());
        Set<String> items = new LinkedHashSet<>(ConfigType.itemsOf(now == null ? "" : now));
        if (change.configOperation() == APPEND) {
            items.addAll(ConfigType.itemsOf(change.value()));
        } else {
            ConfigType.itemsOf(change.value()).forEach(items::remove);
        }
        return String.join(",", items);
    }

    /** Replaces what is set. */
    void replace(String name, Map<String, String> set, boolean validateOnly) {
        change(isNode(name), before -> set, validateOnly);
    }

    private void change(
            boolean ofNode, UnaryOperator<Map<String, String>> change, boolean validateOnly) {
        try {
            node.change(ofNode, change, validateOnly);
        } catch (InvalidOptionException e) {
            throw Errors.INVALID_REQUEST.exception(e.getMessage()); // as in Kafka, for a node
        } catch (IOException e) {
            throw Errors.KAFKA_STORAGE_ERROR.exception(ErrorMapper.notWritten(e));
        }
    }

    /** Changes levels of loggers. */
    void alterLevels(String name, Collection<AlterableConfig> changes, boolean validateOnly) {
        if (!isNode(name)) {
            throw Errors.INVALID_REQUEST.exception("Loggers are those of a node; name it.");
        }
        for (AlterableConfig each : changes) {
            if (each.configOperation() > DELETE) {
                throw Errors.INVALID_REQUEST.exception(
                        "The level of a logger is set or deleted; it is no list.");
            }
            levels.check(each.name(), level(each));
        }
        if (!validateOnly) {
            changes.forEach(each -> levels.set(each.name(), level(each)));
        }
    }

    private static String level(AlterableConfig change) {
        return change.configOperation() == DELETE ? null : change.value();
    }
}
