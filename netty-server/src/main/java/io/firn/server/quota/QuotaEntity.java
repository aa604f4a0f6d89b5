package io.firn.server.quota;

/**
 * Whom a quota is for: a user, a client id, both, or an address. What it is not for is null.
 *
 * @param user the name without its type, or {@link #DEFAULT}
 * @param clientId the client id, or {@link #DEFAULT}
 * @param ip the address as Java writes it, or {@link #DEFAULT}
 */
public record QuotaEntity(String user, String clientId, String ip) {
    /** Stands for all that have no quota of their own. No name is empty. */
    public static final String DEFAULT = "";

    /** Creates the entity of a user, a client id, or both. */
    public QuotaEntity(String user, String clientId) {
        this(user, clientId, null);
    }

    /** Returns the entity of an address. */
    public static QuotaEntity ofIp(String ip) {
        return new QuotaEntity(null, null, ip);
    }
}
