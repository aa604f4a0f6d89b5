package io.firn.server.security;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.Resource;
import org.apache.kafka.common.resource.ResourceType;

/**
 * What the client of one connection may do. Handlers ask with the name of each resource, since
 * Kafka answers for each of them. Thread-safe.
 *
 * <p>Decisions about produce and fetch are remembered until an ACL changes: to ask again allocates
 * nothing.
 */
public final class Access {
    /** Without authorization everybody may do everything. */
    static final Access UNLIMITED = new Access(null, null, null, null, null);

    private static final int MOST_REMEMBERED = 1_000;

    /** Those that Kafka has for each type. */
    private static final Map<ResourceType, Set<AclOperation>> OPERATIONS =
            Map.of(
                    ResourceType.TOPIC,
                    Set.of(
                            AclOperation.READ,
                            AclOperation.WRITE,
                            AclOperation.CREATE,
                            AclOperation.DESCRIBE,
                            AclOperation.DELETE,
                            AclOperation.ALTER,
                            AclOperation.DESCRIBE_CONFIGS,
                            AclOperation.ALTER_CONFIGS),
                    ResourceType.GROUP,
                    Set.of(
                            AclOperation.READ,
                            AclOperation.DESCRIBE,
                            AclOperation.DELETE,
                            AclOperation.DESCRIBE_CONFIGS,
                            AclOperation.ALTER_CONFIGS),
                    ResourceType.CLUSTER,
                    Set.of(
                            AclOperation.CREATE,
                            AclOperation.CLUSTER_ACTION,
                            AclOperation.DESCRIBE_CONFIGS,
                            AclOperation.ALTER_CONFIGS,
                            AclOperation.IDEMPOTENT_WRITE,
                            AclOperation.ALTER,
                            AclOperation.DESCRIBE));

    private final AccessControl control;
    private final AuditLog audit;
    private final String listener;
    private final String principal;
    private final String host;
    private volatile Remembered remembered = new Remembered(null);

    /** Decisions that hold for as long as the version is the same. */
    private static final class Remembered {
        private final Object version;
        private final Map<String, Boolean> produce = new ConcurrentHashMap<>();
        private final Map<String, Boolean> fetch = new ConcurrentHashMap<>();
        private final Map<String, Boolean> transactions = new ConcurrentHashMap<>();

        Remembered(Object version) {
            this.version = version;
        }

        Map<String, Boolean> of(Right right) {
            return switch (right) {
                case PRODUCE -> produce;
                case FETCH -> fetch;
                default -> transactions;
            };
        }
    }

    private Access(
            AccessControl control, AuditLog audit, String listener, String principal, String host) {
        this.control = control;
        this.audit = audit;
        this.listener = listener;
        this.principal = principal;
        this.host = host;
    }

    /**
     * Returns what a client may do.
     *
     * @param control null if everybody may do everything
     * @param audit is told of what is denied
     */
    static Access of(
            AccessControl control, AuditLog audit, String listener, String principal, String host) {
        return control == null ? UNLIMITED : new Access(control, audit, listener, principal, host);
    }

    /** Returns whether the client may do everything, because there is no authorization. */
    public boolean isUnlimited() {
        return control == null;
    }

    /** Returns whether the client may do this with a resource that it has named. */
    public boolean may(Right right, String name) {
        return control == null || isAllowed(right, name) || isDenied(right, name);
    }

    /** Returns whether the client may do this with the cluster. */
    public boolean may(Right right) {
        return may(right, Resource.CLUSTER_NAME);
    }

    /**
     * As {@link #may(Right, String)}, to choose what is shown, or between rights: it is no attempt
     * to do what is not allowed.
     */
    public boolean has(Right right, String name) {
        return control == null || isAllowed(right, name);
    }

    /** As {@link #has(Right, String)}, for the cluster. */
    public boolean has(Right right) {
        return has(right, Resource.CLUSTER_NAME);
    }

    /**
     * Returns the operations that the client may execute on a resource, as Kafka's responses show
     * them: a bit for each, at the place of its code.
     */
    public int operations(ResourceType type, String name) {
        int bits = 0;
        for (AclOperation each : OPERATIONS.get(type)) {
            if (control == null || control.isAllowed(principal, host, each, type, name)) {
                bits |= 1 << each.code();
            }
        }
        return bits;
    }

    /**
     * As {@link #operations(ResourceType, String)}, for the cluster; 0 if it may not be described.
     */
    public int operations() {
        boolean mayDescribe =
                control == null
                        || control.isAllowed(
                                principal,
                                host,
                                AclOperation.DESCRIBE,
                                ResourceType.CLUSTER,
                                Resource.CLUSTER_NAME);
        return mayDescribe ? operations(ResourceType.CLUSTER, Resource.CLUSTER_NAME) : 0;
    }

    /** Returns whether there can be a resource with which the client may do this. */
    public boolean hasOnAny(Right right) {
        return control == null
                || control.isAllowedOnAny(principal, host, right.operation(), right.resource());
    }

    /**
     * Refuses the whole request unless the client may do this.
     *
     * @throws org.apache.kafka.common.errors.ApiException for the response
     */
    public void demand(Right right, String name) {
        if (!may(right, name)) {
            throw right.error().exception();
        }
    }

    /** As {@link #demand(Right, String)}, for the cluster. */
    public void demand(Right right) {
        demand(right, Resource.CLUSTER_NAME);
    }

    /**
     * Returns whether all that was decided since {@link #version} returned this would be decided
     * again.
     */
    public boolean isStill(Object version) {
        return control == null || (version != null && control.version() == version);
    }

    /** Returns what {@link #isStill} compares. */
    public Object version() {
        return control == null ? null : control.version();
    }

    private boolean isAllowed(Right right, String name) {
        if (right != Right.PRODUCE
                && right != Right.FETCH
                && right != Right.PRODUCE_IN_TRANSACTION) {
            return decide(right, name);
        }
        Object version = control.version(); // first: what is decided is as new or newer
        if (version == null) {
            return decide(right, name);
        }
        Remembered now = remembered;
        if (now.version != version) {
            now = new Remembered(version);
            remembered = now;
        }
        Map<String, Boolean> known = now.of(right);
        Boolean before = known.get(name);
        if (before != null) {
            return before;
        }
        boolean decided = decide(right, name);
        if (known.size() >= MOST_REMEMBERED) {
            known.clear(); // they only save time
        }
        known.put(name, decided);
        return decided;
    }

    private boolean decide(Right right, String name) {
        return control.isAllowed(principal, host, right.operation(), right.resource(), name);
    }

    /** Returns false. Every refusal of what a client has asked for passes here. */
    private boolean isDenied(Right right, String name) {
        audit.denied(
                new AuditLog.Client(principal, host, listener),
                right.operation().toString(),
                right.resource() + ":" + name);
        return false;
    }
}
