package io.firn.server.quota;

import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Quotas, and which of them holds for a client, by Kafka's order of precedence. Immutable.
 *
 * <pre>
 *   quota of                              is shared by the connections with
 *   1  user and client id                 the user and the client id
 *   2  user, default client id            the user and the client id
 *   3  user                               the user
 *   4  default user and client id         the user and the client id
 *   5  default user, default client id    the user and the client id
 *   6  default user                       the user
 *   7  client id                          the client id
 *   8  default client id                  the client id
 * </pre>
 */
final class QuotaSnapshot {
    static final QuotaSnapshot NONE = new QuotaSnapshot(Map.of());

    private static final String ANY = QuotaEntity.DEFAULT;

    private final Map<QuotaEntity, Map<QuotaType, Double>> all;
    private final Set<QuotaType> used = EnumSet.noneOf(QuotaType.class);

    /**
     * The quota that holds for a client.
     *
     * @param perSecond how much
     * @param sharedBy with whom the client shares it
     */
    record Found(double perSecond, QuotaEntity sharedBy) {}

    QuotaSnapshot(Map<QuotaEntity, Map<QuotaType, Double>> all) {
        this.all = Collections.unmodifiableMap(new HashMap<>(all)); // see QuotaEntity
        all.values().forEach(each -> used.addAll(each.keySet()));
    }

    Map<QuotaEntity, Map<QuotaType, Double>> all() {
        return all;
    }

    /** Returns whether anybody has a quota of this kind. */
    boolean has(QuotaType key) {
        return used.contains(key);
    }

    /** Returns the quota of a user with a client id; null if there is none. */
    Found find(QuotaType key, String user, String clientId) {
        Double value = first(key, user, clientId, user, ANY);
        if (value != null) {
            return new Found(value, new QuotaEntity(user, clientId));
        }
        value = get(key, new QuotaEntity(user, null));
        if (value != null) {
            return new Found(value, new QuotaEntity(user, null));
        }
        value = first(key, ANY, clientId, ANY, ANY);
        if (value != null) {
            return new Found(value, new QuotaEntity(user, clientId));
        }
        value = get(key, new QuotaEntity(ANY, null));
        if (value != null) {
            return new Found(value, new QuotaEntity(user, null));
        }
        value = first(key, null, clientId, null, ANY);
        return value == null ? null : new Found(value, new QuotaEntity(null, clientId));
    }

    /** Returns the quota of an address; null if there is none. */
    Found findOfIp(QuotaType key, String ip) {
        Double value = get(key, QuotaEntity.ofIp(ip));
        if (value == null) {
            value = get(key, QuotaEntity.ofIp(ANY));
        }
        return value == null ? null : new Found(value, QuotaEntity.ofIp(ip));
    }

    private Double first(QuotaType key, String user, String id, String thenUser, String thenId) {
        Double value = get(key, new QuotaEntity(user, id));
        return value == null ? get(key, new QuotaEntity(thenUser, thenId)) : value;
    }

    private Double get(QuotaType key, QuotaEntity entity) {
        Map<QuotaType, Double> known = all.get(entity);
        return known == null ? null : known.get(key);
    }
}
