package io.firn.server.admin;

import io.firn.server.log.ErrorMapper;
import io.firn.server.quota.ClientQuotas;
import io.firn.server.quota.QuotaEntity;
import io.firn.server.quota.QuotaType;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.EntryData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.OpData;
import org.apache.kafka.common.message.AlterClientQuotasResponseData;
import org.apache.kafka.common.message.DescribeClientQuotasRequestData;
import org.apache.kafka.common.message.DescribeClientQuotasRequestData.ComponentData;
import org.apache.kafka.common.message.DescribeClientQuotasResponseData;
import org.apache.kafka.common.message.DescribeClientQuotasResponseData.EntityData;
import org.apache.kafka.common.message.DescribeClientQuotasResponseData.ValueData;
import org.apache.kafka.common.protocol.Errors;

/** Handles AlterClientQuotas and DescribeClientQuotas. Writes files. */
public final class QuotaAdmin {
    private static final String USER = "user";
    private static final String CLIENT_ID = "client-id";
    private static final String IP = "ip";
    private static final Set<String> TYPES = Set.of(USER, CLIENT_ID, IP);

    private static final int MOST_NAME_CHARS = 249;
    private static final double EPSILON = 1e-6;

    /** About what an entry of a request uses, with its result, as objects. */
    private static final int ENTRY_BYTES = 500;

    private static final byte EXACT = 0;
    private static final byte DEFAULT = 1;

    private final ClientQuotas quotas;

    /** Creates the handlers. */
    public QuotaAdmin(ClientQuotas quotas) {
        this.quotas = quotas;
    }

    // ---- alter

    /** Handles AlterClientQuotas: the changes of an entity are made if all of them are valid. */
    public void alter(Exchange exchange, AlterClientQuotasRequestData request) {
        exchange.connection().access().demand(Right.ALTER_QUOTAS);
        Map<QuotaEntity, Map<QuotaType, Double>> valid = new HashMap<>();
        List<AlterClientQuotasResponseData.EntryData> good = new ArrayList<>();
        AlterClientQuotasResponseData response = new AlterClientQuotasResponseData();
        exchange.inSteps( // nothing is changed before all was checked
                request.entries(),
                each -> {
                    exchange.addAnswerBytes(ENTRY_BYTES);
                    AlterClientQuotasResponseData.EntryData result = resultFor(each);
                    response.entries().add(result);
                    try {
                        QuotaEntity entity = entity(each);
                        Map<QuotaType, Double> values = values(each.ops(), entity.ip() != null);
                        if (valid.putIfAbsent(entity, values) != null) {
                            throw invalid("An entity cannot be altered twice in the same request");
                        }
                        good.add(result);
                    } catch (ApiException e) {
                        refuse(result, Errors.forException(e), e.getMessage());
                    }
                },
                () -> {
                    if (!exchange.isOpen()) {
                        exchange.fail(
                                new IllegalStateException(
                                        "the client has gone before all was checked"));
                        return;
                    }
                    if (!request.validateOnly() && !valid.isEmpty()) {
                        change(valid, good);
                    }
                    exchange.reply(response);
                });
    }

    private void change(
            Map<QuotaEntity, Map<QuotaType, Double>> valid,
            List<AlterClientQuotasResponseData.EntryData> good) {
        try {
            if (!quotas.change(valid)) {
                good.forEach(
                        each -> refuse(each, Errors.POLICY_VIOLATION, "There are too many quotas"));
            }
        } catch (IOException e) {
            String told = ErrorMapper.notWritten(e);
            good.forEach(each -> refuse(each, Errors.KAFKA_STORAGE_ERROR, told));
        }
    }

    private static AlterClientQuotasResponseData.EntryData resultFor(EntryData asked) {
        AlterClientQuotasResponseData.EntryData result =
                new AlterClientQuotasResponseData.EntryData();
        for (AlterClientQuotasRequestData.EntityData each : asked.entity()) {
            result.entity()
                    .add(
                            new AlterClientQuotasResponseData.EntityData()
                                    .setEntityType(each.entityType())
                                    .setEntityName(each.entityName()));
        }
        return result;
    }

    private static void refuse(
            AlterClientQuotasResponseData.EntryData result, Errors error, String message) {
        result.setErrorCode(error.code()).setErrorMessage(message);
    }

    private static ApiException invalid(String why) {
        return Errors.INVALID_REQUEST.exception(why);
    }

    private static QuotaEntity entity(EntryData asked) {
        Map<String, String> names = new HashMap<>();
        for (AlterClientQuotasRequestData.EntityData each : asked.entity()) {
            String type = each.entityType();
            if (!TYPES.contains(type)) {
                throw invalid("Unhandled client quota entity type: " + type);
            }
            if (names.put(type, name(type, each.entityName())) != null) {
                throw invalid("Invalid client quota entity, duplicate entity entry " + type);
            }
        }
        if (names.isEmpty()) {
            throw invalid(
                    "Invalid empty client quota entity; expected a user, a client-id, both, or an"
                            + " ip");
        }
        if (names.containsKey(IP) && names.size() > 1) {
            throw invalid(
                    "Invalid quota entity combination, an ip is not combined with a user or a"
                            + " client-id");
        }
        return new QuotaEntity(names.get(USER), names.get(CLIENT_ID), names.get(IP));
    }

    private static String name(String type, String name) {
        if (name == null) {
            return QuotaEntity.DEFAULT;
        }
        if (name.isEmpty() || name.length() > MOST_NAME_CHARS) {
            throw invalid("A " + type + " has from 1 to " + MOST_NAME_CHARS + " characters");
        }
        if (!type.equals(IP)) {
            return name;
        }
        String address = address(name);
        if (address == null) {
            throw invalid("An ip is an address in numbers, not '" + name + "'");
        }
        return address;
    }

    /** Returns an address as Java writes those of clients; null if it is none. */
    private static String address(String text) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(text);
        try {
            return bytes == null ? null : InetAddress.getByAddress(bytes).getHostAddress();
        } catch (UnknownHostException e) {
            return null;
        }
    }

    private static Map<QuotaType, Double> values(List<OpData> ops, boolean ofIp) {
        Map<QuotaType, Double> values = new EnumMap<>(QuotaType.class);
        Set<String> names = new HashSet<>();
        for (OpData each : ops) {
            if (!names.add(each.key())) {
                throw invalid("Duplicate quota key " + each.key());
            }
            QuotaType key = QuotaType.find(each.key());
            if (key == null || key.isForIp() != ofIp) {
                if (!each.remove()) {
                    throw invalid(why(each.key(), ofIp));
                }
            } else {
                values.put(key, each.remove() ? null : value(key, each.value()));
            }
        }
        return values;
    }

    private static String why(String key, boolean ofIp) {
        String known =
                Arrays.stream(QuotaType.values())
                        .filter(each -> each.isForIp() == ofIp)
                        .map(QuotaType::word)
                        .collect(Collectors.joining(", "));
        return "Invalid configuration key " + key + "; expected one of: " + known;
    }

    private static double value(QuotaType key, double value) {
        if (!key.isWhole()) {
            if (!(value > 0) || value > key.most()) {
                throw invalid("Quota " + key.word() + " must be greater than 0");
            }
            return value;
        }
        double whole = Math.rint(value);
        if (!(whole >= 1) || whole > key.most() || Math.abs(whole - value) > EPSILON) {
            throw invalid(
                    String.format(
                            "Quota %s must be a whole number from 1 to %.0f",
                            key.word(), key.most()));
        }
        return whole;
    }

    // ---- describe

    /** Handles DescribeClientQuotas. */
    public void describe(Exchange exchange, DescribeClientQuotasRequestData request) {
        exchange.connection().access().demand(Right.DESCRIBE_QUOTAS);
        check(request.components());
        List<DescribeClientQuotasResponseData.EntryData> found = new ArrayList<>();
        quotas.all()
                .forEach(
                        (entity, values) -> {
                            Map<String, String> names = names(entity);
                            if (matches(names, request)) {
                                found.add(describe(names, values));
                            }
                        });
        exchange.reply(new DescribeClientQuotasResponseData().setEntries(found));
    }

    private static void check(List<ComponentData> components) {
        Set<String> types = new HashSet<>();
        for (ComponentData each : components) {
            if (!TYPES.contains(each.entityType())) {
                throw Errors.UNSUPPORTED_VERSION.exception(
                        "Custom entity type '" + each.entityType() + "' not supported");
            }
            if (!types.add(each.entityType())) {
                throw invalid("Duplicate filter component for " + each.entityType());
            }
            boolean exact = each.matchType() == EXACT;
            if (each.matchType() < EXACT
                    || each.matchType() > 2
                    || exact != (each.match() != null)) {
                throw invalid("Invalid match of " + each.entityType());
            }
        }
        if (types.contains(IP) && types.size() > 1) {
            throw invalid("An ip is not combined with other types");
        }
    }

    private static Map<String, String> names(QuotaEntity entity) {
        Map<String, String> names = new HashMap<>();
        names.put(USER, entity.user());
        names.put(CLIENT_ID, entity.clientId());
        names.put(IP, entity.ip());
        names.values().removeIf(each -> each == null);
        return names;
    }

    private static boolean matches(
            Map<String, String> names, DescribeClientQuotasRequestData request) {
        if (request.strict() && names.size() != request.components().size()) {
            return false;
        }
        for (ComponentData each : request.components()) {
            String name = names.get(each.entityType());
            boolean matches =
                    switch (each.matchType()) {
                        case EXACT -> name != null && name.equals(asked(each));
                        case DEFAULT -> QuotaEntity.DEFAULT.equals(name);
                        default -> name != null;
                    };
            if (!matches) {
                return false;
            }
        }
        return true;
    }

    /** No name is empty; null is nobody's. */
    private static String asked(ComponentData component) {
        String match = component.match().isEmpty() ? null : component.match();
        return match != null && component.entityType().equals(IP) ? address(match) : match;
    }

    private static DescribeClientQuotasResponseData.EntryData describe(
            Map<String, String> names, Map<QuotaType, Double> values) {
        DescribeClientQuotasResponseData.EntryData entry =
                new DescribeClientQuotasResponseData.EntryData();
        names.forEach(
                (type, name) ->
                        entry.entity()
                                .add(
                                        new EntityData()
                                                .setEntityType(type)
                                                .setEntityName(name.isEmpty() ? null : name)));
        values.forEach(
                (key, value) ->
                        entry.values().add(new ValueData().setKey(key.word()).setValue(value)));
        return entry;
    }
}
