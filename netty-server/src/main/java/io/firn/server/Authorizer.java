package io.firn.server;

/**
 * Decides what clients may do, in place of the server's ACLs. Set by {@link
 * FirnServer.Builder#authorizer}.
 *
 * <p>Thread-safe. It is asked on the threads that serve all clients, for each topic of each
 * request, so it answers from memory and never waits. What it throws is logged, and the client is
 * refused. Whether a client may do something can change at any time.
 *
 * @see FirnServer
 */
@FunctionalInterface
public interface Authorizer {

    /** What a client wants to do, as Kafka names it. */
    enum Operation {
        READ,
        WRITE,
        CREATE,
        DELETE,
        ALTER,
        DESCRIBE,
        CLUSTER_ACTION,
        DESCRIBE_CONFIGS,
        ALTER_CONFIGS,
        IDEMPOTENT_WRITE
    }

    /** What it wants to do it with. */
    enum Resource {
        TOPIC,
        GROUP,
        /** The server itself; its name is always {@code kafka-cluster}. */
        CLUSTER
    }

    /**
     * A question.
     *
     * @param principal who the client is, such as {@code User:alice}; {@code User:ANONYMOUS} if it
     *     has not said so
     * @param host the client's address, without a name
     * @param operation what it wants to do; no operation implies another
     * @param resource the kind of the resource
     * @param name the name of the resource, which may not exist
     */
    record Action(
            String principal, String host, Operation operation, Resource resource, String name) {}

    /** Returns whether the client may do this. */
    boolean isAllowed(Action action);
}
