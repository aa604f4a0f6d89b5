package io.firn.server.quota;

/**
 * Whom a quota is for: a user, a client id, or both. The other is null.
 *
 * @param user the name without its type, or {@link #DEFAULT}
 * @param clientId the client id, or {@link #DEFAULT}
 */
public record QuotaEntity(String user, String clientId) {
    /** Stands for all that have no quota of their own. No name is empty. */
    public static final String DEFAULT = "";
}
