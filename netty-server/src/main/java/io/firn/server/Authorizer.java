package io.firn.server;

import java.util.Objects;

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

    /**
     * What a client wants to do, as Kafka names it. More may be added: refuse one that is unknown.
     */
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

    /** What it wants to do it with. More may be added: refuse one that is unknown. */
    enum Resource {
        TOPIC,
        GROUP,
        /** The server itself; its name is always {@code kafka-cluster}. */
        CLUSTER
    }

    /** A question. Immutable; equal when all of it is. */
    final class Action {
        private final String principal;
        private final String host;
        private final Operation operation;
        private final Resource resource;
        private final String name;

        private Action(
                String principal,
                String host,
                Operation operation,
                Resource resource,
                String name) {
            this.principal = Objects.requireNonNull(principal, "principal");
            this.host = Objects.requireNonNull(host, "host");
            this.operation = Objects.requireNonNull(operation, "operation");
            this.resource = Objects.requireNonNull(resource, "resource");
            this.name = Objects.requireNonNull(name, "name");
        }

        /** Returns a question; for tests of an authorizer. */
        public static Action of(
                String principal,
                String host,
                Operation operation,
                Resource resource,
                String name) {
            return new Action(principal, host, operation, resource, name);
        }

        /**
         * Returns the name that the client has proved, such as {@code User:alice}; {@code
         * User:ANONYMOUS} if it has proved none.
         */
        public String principal() {
            return principal;
        }

        /** Returns the client's address, without a host name. */
        public String host() {
            return host;
        }

        /** Returns what the client wants to do; no operation implies another. */
        public Operation operation() {
            return operation;
        }

        /** Returns the kind of the resource. */
        public Resource resource() {
            return resource;
        }

        /** Returns the name of the resource, which may not exist. */
        public String name() {
            return name;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Action that
                    && principal.equals(that.principal)
                    && host.equals(that.host)
                    && operation == that.operation
                    && resource == that.resource
                    && name.equals(that.name);
        }

        @Override
        public int hashCode() {
            return Objects.hash(principal, host, operation, resource, name);
        }

        @Override
        public String toString() {
            return principal + "@" + host + " " + operation + " " + resource + " " + name;
        }
    }

    /** Returns whether the client may do this. */
    boolean isAllowed(Action action);
}
