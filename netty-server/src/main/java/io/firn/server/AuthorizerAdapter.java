package io.firn.server;

import io.firn.server.Authorizer.Action;
import io.firn.server.Authorizer.Operation;
import io.firn.server.Authorizer.Resource;
import io.firn.server.security.AccessControl;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;

/** Asks the authorizer of the application that embeds the server. Thread-safe. */
final class AuthorizerAdapter implements AccessControl {
    private static final System.Logger LOG = System.getLogger("io.firn.server");

    private final Authorizer authorizer;

    AuthorizerAdapter(Authorizer authorizer) {
        this.authorizer = authorizer;
    }

    @Override
    public boolean isAllowed(
            String principal, String host, AclOperation operation, ResourceType type, String name) {
        try {
            return authorizer.isAllowed(
                    Action.of(
                            principal,
                            host,
                            Operation.valueOf(operation.name()),
                            Resource.valueOf(type.name()),
                            name));
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "the authorizer failed: the client is refused", e);
            return false;
        }
    }

    /** There is no way to ask; what the client then does with a resource is asked. */
    @Override
    public boolean isAllowedOnAny(
            String principal, String host, AclOperation operation, ResourceType type) {
        return true;
    }

    @Override
    public Object version() {
        return null;
    }
}
