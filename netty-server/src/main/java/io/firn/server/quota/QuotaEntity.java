package io.firn.server.quota;

import static java.util.Comparator.naturalOrder;

import java.util.Comparator;

/**
 * Whom a quota is for: a user, a client id, both, or an address. What it is not for is null.
 * Comparable, because clients choose names: hash maps stay fast when all have one hash.
 *
 * @param user the name without its type, or {@link #DEFAULT}
 * @param clientId the client id, or {@link #DEFAULT}
 * @param ip the address as Java writes it, or {@link #DEFAULT}
 */
public record QuotaEntity(String user, String clientId, String ip)
        implements Comparable<QuotaEntity> {
    /** Stands for all that have no quota of their own. No name is empty. */
    public static final String DEFAULT = "";

    private static final Comparator<QuotaEntity> ORDER =
            Comparator.comparing(QuotaEntity::user, Comparator.nullsFirst(naturalOrder()))
                    .thenComparing(QuotaEntity::clientId, Comparator.nullsFirst(naturalOrder()))
                    .thenComparing(QuotaEntity::ip, Comparator.nullsFirst(naturalOrder()));

    /** Creates the entity of a user, a client id, or both. */
    public QuotaEntity(String user, String clientId) {
        this(user, clientId, null);
    }

    @Override
    public int compareTo(QuotaEntity other) {
        return ORDER.compare(this, other);
    }

    /** Returns the entity of an address. */
    public static QuotaEntity ofIp(String ip) {
        return new QuotaEntity(null, null, ip);
    }
}
