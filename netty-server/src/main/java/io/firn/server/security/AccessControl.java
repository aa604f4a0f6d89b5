package io.firn.server.security;

import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;

/**
 * Decides what clients may do. Thread-safe; asked on event loops, so it neither blocks nor throws.
 */
public interface AccessControl {

    /**
     * Decides whether a client may do something.
     *
     * @param principal who it is, such as {@code User:alice}
     * @param host its address, without a name
     * @param name the name of the resource
     */
    boolean isAllowed(
            String principal, String host, AclOperation operation, ResourceType type, String name);

    /** Decides whether there can be a resource of a kind with which a client may do something. */
    boolean isAllowedOnAny(
            String principal, String host, AclOperation operation, ResourceType type);

    /**
     * Returns an object that is replaced when decisions change, and before they change for those
     * who ask: decisions made after it was read hold at least as long as it is the same. Null if
     * they may change at any time.
     */
    Object version();
}
