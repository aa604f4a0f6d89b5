package io.firn.server.admin;

import io.firn.server.log.ErrorMapper;
import io.firn.server.security.Acls;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.CreateAclsRequestData;
import org.apache.kafka.common.message.CreateAclsRequestData.AclCreation;
import org.apache.kafka.common.message.CreateAclsResponseData;
import org.apache.kafka.common.message.CreateAclsResponseData.AclCreationResult;
import org.apache.kafka.common.message.DeleteAclsRequestData;
import org.apache.kafka.common.message.DeleteAclsRequestData.DeleteAclsFilter;
import org.apache.kafka.common.message.DeleteAclsResponseData;
import org.apache.kafka.common.message.DeleteAclsResponseData.DeleteAclsFilterResult;
import org.apache.kafka.common.message.DescribeAclsRequestData;
import org.apache.kafka.common.message.DescribeAclsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.apache.kafka.common.requests.DeleteAclsResponse;
import org.apache.kafka.common.requests.DescribeAclsResponse;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.Resource;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourcePatternFilter;
import org.apache.kafka.common.resource.ResourceType;

/**
 * Handles CreateAcls, DescribeAcls and DeleteAcls. The valid changes of a request are made
 * together. Writes files. Refusals are put into the responses here, because Kafka's classes, which
 * do so for other requests, do not read one with unknown elements.
 */
public final class AclAdmin {
    private static final int MOST_CHARS = 1_024;

    /** About what an ACL uses in a response, as objects. */
    private static final int ACL_BYTES = 300;

    private final Acls acls;

    /**
     * Creates the handlers.
     *
     * @param acls null if decisions are not made by ACLs
     */
    public AclAdmin(Acls acls) {
        this.acls = acls;
    }

    /** Returns why the request is refused as a whole; null if it is not. */
    private ApiException refusal(Exchange exchange, Right right) {
        if (acls == null) {
            return Errors.SECURITY_DISABLED.exception("No Authorizer is configured.");
        }
        return exchange.connection().access().may(right) ? null : right.error().exception();
    }

    // ---- create

    /** Handles CreateAcls. */
    public void create(Exchange exchange, CreateAclsRequestData request) {
        CreateAclsResponseData response = new CreateAclsResponseData();
        ApiException refusal = refusal(exchange, Right.CREATE_ACLS);
        if (refusal != null) {
            for (int i = 0; i < request.creations().size(); i++) {
                AclCreationResult result = new AclCreationResult();
                refuse(result, Errors.forException(refusal), refusal.getMessage());
                response.results().add(result);
            }
            exchange.reply(response);
            return;
        }
        List<AclBinding> valid = new ArrayList<>();
        List<AclCreationResult> created = new ArrayList<>();
        exchange.inSteps( // nothing is changed before all was checked
                request.creations(),
                each -> {
                    exchange.addAnswerBytes(ACL_BYTES);
                    AclCreationResult result = new AclCreationResult();
                    response.results().add(result);
                    try {
                        valid.add(binding(each));
                        created.add(result);
                    } catch (ApiException e) {
                        refuse(result, Errors.forException(e), e.getMessage());
                    }
                },
                () -> create(exchange, response, valid, created));
    }

    private void create(
            Exchange exchange,
            CreateAclsResponseData response,
            List<AclBinding> valid,
            List<AclCreationResult> created) {
        if (!exchange.isOpen()) {
            exchange.fail(new IllegalStateException("the client has gone before all was checked"));
            return;
        }
        try {
            if (!acls.change(valid, List.of())) {
                created.forEach(
                        each -> refuse(each, Errors.POLICY_VIOLATION, "There are too many ACLs"));
            }
        } catch (IOException e) {
            String told = ErrorMapper.notWritten(e);
            created.forEach(each -> refuse(each, Errors.KAFKA_STORAGE_ERROR, told));
        }
        exchange.reply(response);
    }

    private static void refuse(AclCreationResult result, Errors error, String why) {
        result.setErrorCode(error.code()).setErrorMessage(why);
    }

    private static AclBinding binding(AclCreation asked) {
        ResourceType type = ResourceType.fromCode(asked.resourceType());
        PatternType pattern = PatternType.fromCode(asked.resourcePatternType());
        AclOperation operation = AclOperation.fromCode(asked.operation());
        AclPermissionType permission = AclPermissionType.fromCode(asked.permissionType());
        boolean isSpecific =
                type != ResourceType.UNKNOWN
                        && type != ResourceType.ANY
                        && (pattern == PatternType.LITERAL || pattern == PatternType.PREFIXED)
                        && operation != AclOperation.UNKNOWN
                        && operation != AclOperation.ANY
                        && (permission == AclPermissionType.ALLOW
                                || permission == AclPermissionType.DENY);
        check(
                isSpecific,
                "An ACL needs a resource type, an operation, ALLOW or DENY, and LITERAL or"
                        + " PREFIXED");
        check(!asked.resourceName().isEmpty(), "Invalid empty resource name");
        check(
                type != ResourceType.CLUSTER || asked.resourceName().equals(Resource.CLUSTER_NAME),
                "The only valid name for the CLUSTER resource is " + Resource.CLUSTER_NAME);
        check(
                asked.principal().indexOf(':') > 0,
                "Could not parse principal from `"
                        + asked.principal()
                        + "` (no colon is present separating the principal type from the principal"
                        + " name)");
        check(!asked.host().isEmpty(), "The host is an address or *");
        check(
                asked.resourceName().length() <= MOST_CHARS
                        && asked.principal().length() <= MOST_CHARS
                        && asked.host().length() <= MOST_CHARS,
                "A name, a principal and a host have up to " + MOST_CHARS + " characters");
        return new AclBinding(
                new ResourcePattern(type, asked.resourceName(), pattern),
                new AccessControlEntry(asked.principal(), asked.host(), operation, permission));
    }

    private static void check(boolean isValid, String why) {
        if (!isValid) {
            throw Errors.INVALID_REQUEST.exception(why);
        }
    }

    // ---- describe

    /** Handles DescribeAcls. */
    public void describe(Exchange exchange, DescribeAclsRequestData request) {
        ApiException refusal = refusal(exchange, Right.DESCRIBE_ACLS);
        AclBindingFilter filter = null;
        try {
            filter =
                    filter(
                            new ResourcePatternFilter(
                                    ResourceType.fromCode(request.resourceTypeFilter()),
                                    request.resourceNameFilter(),
                                    PatternType.fromCode(request.patternTypeFilter())),
                            new AccessControlEntryFilter(
                                    request.principalFilter(),
                                    request.hostFilter(),
                                    AclOperation.fromCode(request.operation()),
                                    AclPermissionType.fromCode(request.permissionType())));
        } catch (ApiException e) {
            refusal = refusal == null ? e : refusal;
        }
        if (refusal != null) {
            exchange.reply(
                    new DescribeAclsResponseData()
                            .setErrorCode(Errors.forException(refusal).code())
                            .setErrorMessage(refusal.getMessage()));
            return;
        }
        List<AclBinding> found = acls.all().stream().filter(filter::matches).toList();
        exchange.addAnswerBytes((long) ACL_BYTES * found.size());
        exchange.reply(
                new DescribeAclsResponseData()
                        .setResources(DescribeAclsResponse.aclsResources(found)));
    }

    private static AclBindingFilter filter(
            ResourcePatternFilter resource, AccessControlEntryFilter entry) {
        AclBindingFilter filter = new AclBindingFilter(resource, entry);
        check(!filter.isUnknown(), "The filter contains unknown elements");
        return filter;
    }

    // ---- delete

    /** Handles DeleteAcls. */
    public void delete(Exchange exchange, DeleteAclsRequestData request) {
        DeleteAclsResponseData response = new DeleteAclsResponseData();
        ApiException refusal = refusal(exchange, Right.DELETE_ACLS);
        if (refusal != null) {
            exchange.reply(refused(request, refusal));
            return;
        }
        // By identity: the hashes of ACLs may all be the same, and they have no order.
        Set<AclBinding> left = Collections.newSetFromMap(new IdentityHashMap<>());
        left.addAll(acls.all());
        List<AclBinding> deleted = new ArrayList<>();
        exchange.inSteps( // nothing is changed before all was found, which may take long
                request.filters(),
                each -> {
                    DeleteAclsFilterResult result = new DeleteAclsFilterResult();
                    response.filterResults().add(result);
                    try {
                        AclBindingFilter filter = filter(each);
                        // Each is deleted by the first filter that finds it: so the answer is
                        // bounded.
                        List<AclBinding> found = left.stream().filter(filter::matches).toList();
                        found.forEach(left::remove);
                        deleted.addAll(found);
                        exchange.addAnswerBytes((long) ACL_BYTES * found.size());
                        found.forEach(
                                acl ->
                                        result.matchingAcls()
                                                .add(
                                                        DeleteAclsResponse.matchingAcl(
                                                                acl, ApiError.NONE)));
                    } catch (ApiException e) {
                        result.setErrorCode(Errors.forException(e).code())
                                .setErrorMessage(e.getMessage());
                    }
                },
                () -> delete(exchange, request, response, deleted));
    }

    private void delete(
            Exchange exchange,
            DeleteAclsRequestData request,
            DeleteAclsResponseData response,
            List<AclBinding> deleted) {
        if (!exchange.isOpen()) {
            exchange.fail(new IllegalStateException("the client has gone before all was found"));
            return;
        }
        try {
            acls.change(List.of(), deleted);
        } catch (IOException e) {
            exchange.reply(
                    refused(
                            request,
                            Errors.KAFKA_STORAGE_ERROR.exception(ErrorMapper.notWritten(e))));
            return;
        }
        exchange.reply(response);
    }

    private static DeleteAclsResponseData refused(DeleteAclsRequestData request, ApiException why) {
        DeleteAclsResponseData response = new DeleteAclsResponseData();
        for (int i = 0; i < request.filters().size(); i++) {
            response.filterResults()
                    .add(
                            new DeleteAclsFilterResult()
                                    .setErrorCode(Errors.forException(why).code())
                                    .setErrorMessage(why.getMessage()));
        }
        return response;
    }

    private static AclBindingFilter filter(DeleteAclsFilter asked) {
        return filter(
                new ResourcePatternFilter(
                        ResourceType.fromCode(asked.resourceTypeFilter()),
                        asked.resourceNameFilter(),
                        PatternType.fromCode(asked.patternTypeFilter())),
                new AccessControlEntryFilter(
                        asked.principalFilter(),
                        asked.hostFilter(),
                        AclOperation.fromCode(asked.operation()),
                        AclPermissionType.fromCode(asked.permissionType())));
    }
}
