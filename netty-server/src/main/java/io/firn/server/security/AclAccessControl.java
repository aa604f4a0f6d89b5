package io.firn.server.security;

import io.firn.InvalidOptionException;
import io.firn.server.config.ServerConfig;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;

/**
 * Decides by ACLs, as Kafka's StandardAuthorizer. Super users may do everything; who is not allowed
 * something may not do it, unless there is no ACL for the resource and the configuration says that
 * everybody may then. Thread-safe, without locks.
 */
public final class AclAccessControl implements AccessControl {
    private final Supplier<AclSnapshot> acls;
    private final Set<String> superUsers;
    private final boolean isOpenWithoutAcl;

    /**
     * Decides by these ACLs.
     *
     * @throws InvalidOptionException if {@code super.users} is invalid
     */
    public AclAccessControl(Acls acls, ServerConfig config) {
        this(
                acls::snapshot,
                superUsers(config.text("super.users")),
                config.flag("allow.everyone.if.no.acl.found"));
    }

    AclAccessControl(Supplier<AclSnapshot> acls, Set<String> superUsers, boolean isOpenWithoutAcl) {
        this.acls = acls;
        this.superUsers = Set.copyOf(superUsers);
        this.isOpenWithoutAcl = isOpenWithoutAcl;
    }

    /** Parses principals that are separated by semicolons, since a name may contain a comma. */
    static Set<String> superUsers(String text) {
        Set<String> all = new HashSet<>();
        for (String each : text.split(";")) {
            if (!each.isBlank()) {
                all.add(superUser(each.trim()));
            }
        }
        return all;
    }

    /** What no client can be called is a mistake: the super user would silently have no right. */
    private static String superUser(String text) {
        if (!text.startsWith(KafkaPrincipal.USER_TYPE + ":")
                || text.equals(KafkaPrincipal.USER_TYPE + ":")
                || text.contains("," + KafkaPrincipal.USER_TYPE + ":")) {
            throw new InvalidOptionException(
                    "super.users: expected principals such as User:admin, separated by semicolons;"
                            + " found '"
                            + text
                            + "'");
        }
        return text;
    }

    /** Returns whether nobody can change ACLs or users: none is there, and nobody may make any. */
    public boolean isClosedToAll() {
        return superUsers.isEmpty() && !isOpenWithoutAcl && acls.get().all().isEmpty();
    }

    @Override
    public boolean isAllowed(
            String principal, String host, AclOperation operation, ResourceType type, String name) {
        if (superUsers.contains(principal)) {
            return true;
        }
        return switch (acls.get().decide(principal, host, operation, type, name)) {
            case ALLOWED -> true;
            case NO_ACL -> isOpenWithoutAcl;
            case DENIED, NOT_MENTIONED -> false;
        };
    }

    @Override
    public boolean isAllowedOnAny(
            String principal, String host, AclOperation operation, ResourceType type) {
        // As Kafka does, by a name like any other: super users, and what everybody may.
        return isAllowed(principal, host, operation, type, "hardcode")
                || acls.get().allowsAny(principal, host, operation, type);
    }

    @Override
    public Object version() {
        return acls.get();
    }
}
