package io.firn.server.group;

import io.firn.server.log.ErrorMapper;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.ResponseElements;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResultCollection;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroupMember;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.resource.ResourceType;

/** Lists, describes and deletes groups. */
public final class GroupAdmin {
    private static final short FIRST_WITH_NOT_FOUND = 6;
    private static final String CLASSIC = "classic";

    /** About what a member uses in a response; its metadata is that of the group. */
    private static final int MEMBER_BYTES = 200;

    /** About what a listed group uses, as an object. */
    private static final int LISTED_BYTES = 60;

    private final GroupCoordinator coordinator;
    private final GroupOffsets offsets;

    GroupAdmin(GroupCoordinator coordinator, GroupOffsets offsets) {
        this.coordinator = coordinator;
        this.offsets = offsets;
    }

    // ---- list and describe

    /** Answers ListGroups. */
    public void list(Exchange exchange, ListGroupsRequestData request) {
        ListGroupsResponseData response = new ListGroupsResponseData();
        Filter filter = Filter.of(request);
        Access access = exchange.connection().access();
        boolean all = access.has(Right.LIST_GROUPS);
        Set<String> ids = coordinator.ids();
        ids.addAll(offsets.groupIds());
        exchange.inSteps(
                ids,
                id -> {
                    if (!all && !access.has(Right.LIST_GROUP, id)) {
                        return;
                    }
                    exchange.addAnswerBytes(LISTED_BYTES);
                    Group group = coordinator.look(id);
                    if (group == null) {
                        add(response, filter, id, "", GroupState.EMPTY);
                    } else {
                        synchronized (group) {
                            add(response, filter, id, group.protocolType(), group.state());
                        }
                    }
                },
                () -> exchange.reply(response));
    }

    /** Which groups a request asks for, in lower case; all of them if a set is empty. */
    private record Filter(Set<String> states, Set<String> types) {
        static Filter of(ListGroupsRequestData request) {
            return new Filter(lower(request.statesFilter()), lower(request.typesFilter()));
        }

        private static Set<String> lower(List<String> all) {
            Set<String> lower = new HashSet<>();
            all.forEach(each -> lower.add(each.toLowerCase(Locale.ROOT)));
            return lower;
        }

        boolean passes(GroupState state) {
            return passes(states, state.shown()) && passes(types, CLASSIC);
        }

        private static boolean passes(Set<String> wanted, String value) {
            return wanted.isEmpty() || wanted.contains(value.toLowerCase(Locale.ROOT));
        }
    }

    private static void add(
            ListGroupsResponseData response,
            Filter filter,
            String id,
            String type,
            GroupState state) {
        if (filter.passes(state)) {
            response.groups()
                    .add(
                            new ListedGroup()
                                    .setGroupId(id)
                                    .setProtocolType(type)
                                    .setGroupState(state.shown())
                                    .setGroupType(CLASSIC));
        }
    }

    /** Answers DescribeGroups. */
    public void describe(Exchange exchange, DescribeGroupsRequestData request) {
        DescribeGroupsResponseData response = new DescribeGroupsResponseData();
        // Each once: a group may be large, and a request may name it very often.
        Set<String> once = new LinkedHashSet<>(request.groups());
        Set<String> withOffsets =
                once.stream().allMatch(coordinator::has) ? Set.of() : offsets.groupIds();
        exchange.inSteps(
                once,
                id -> {
                    Access access = exchange.connection().access();
                    if (!access.may(Right.DESCRIBE_GROUP, id)) {
                        response.groups()
                                .add(
                                        new DescribedGroup()
                                                .setGroupId(id)
                                                .setErrorCode(
                                                        Errors.GROUP_AUTHORIZATION_FAILED.code()));
                        return;
                    }
                    Group group = coordinator.look(id);
                    DescribedGroup described;
                    if (group == null) {
                        boolean hasOffsets = withOffsets.contains(id);
                        boolean refuse = !hasOffsets && exchange.version() >= FIRST_WITH_NOT_FOUND;
                        described = withoutMembers(id, hasOffsets, refuse);
                    } else {
                        described = describe(group);
                        exchange.addAnswerBytes(
                                (long) MEMBER_BYTES * (1 + described.members().size()));
                    }
                    if (request.includeAuthorizedOperations() && described.errorCode() == 0) {
                        described.setAuthorizedOperations(
                                access.operations(ResourceType.GROUP, id));
                    }
                    response.groups().add(described);
                },
                () -> exchange.reply(response));
    }

    private static DescribedGroup withoutMembers(String id, boolean hasOffsets, boolean refuse) {
        return new DescribedGroup()
                .setGroupId(id)
                .setGroupState((hasOffsets ? GroupState.EMPTY : GroupState.DEAD).shown())
                .setErrorCode((refuse ? Errors.GROUP_ID_NOT_FOUND : Errors.NONE).code())
                .setErrorMessage(refuse ? "Group " + id + " not found." : null);
    }

    private static DescribedGroup describe(Group group) {
        synchronized (group) {
            // Before a group is stable, a protocol may be of the last generation, or of none.
            String protocol = group.is(GroupState.STABLE) ? group.protocol() : "";
            DescribedGroup described =
                    new DescribedGroup()
                            .setGroupId(group.id())
                            .setGroupState(group.state().shown())
                            .setProtocolType(group.protocolType())
                            .setProtocolData(protocol);
            for (Member member : group.members()) {
                described
                        .members()
                        .add(
                                new DescribedGroupMember()
                                        .setMemberId(member.id())
                                        .setGroupInstanceId(member.instanceId())
                                        .setClientId(member.clientId())
                                        .setClientHost(member.clientHost())
                                        .setMemberMetadata(
                                                member.protocols()
                                                        .getOrDefault(protocol, Member.NOTHING))
                                        .setMemberAssignment(member.assignment()));
            }
            return described;
        }
    }

    // ---- delete

    /** Answers DeleteGroups. */
    public void delete(Exchange exchange, DeleteGroupsRequestData request) {
        DeleteGroupsResponseData response = new DeleteGroupsResponseData();
        // Looked up once: a request may name very many groups that do not exist.
        Set<String> withOffsets = offsets.groupIds();
        Set<String> once = new HashSet<>(request.groupsNames());
        response.setResults(new DeletableGroupResultCollection(once.size()));
        exchange.inSteps(
                once,
                id -> {
                    Errors error =
                            exchange.connection().access().may(Right.DELETE_GROUP, id)
                                    ? delete(id, withOffsets)
                                    : Errors.GROUP_AUTHORIZATION_FAILED;
                    response.results()
                            .add(
                                    new ResponseElements.DeletedGroup()
                                            .setGroupId(id)
                                            .setErrorCode(error.code()));
                },
                () -> exchange.reply(response));
    }

    private Errors delete(String id, Set<String> withOffsets) {
        if (!coordinator.has(id) && !withOffsets.contains(id)) {
            return Errors.GROUP_ID_NOT_FOUND;
        }
        try {
            return coordinator.delete(id, withOffsets.contains(id));
        } catch (RuntimeException e) {
            return ErrorMapper.codeOf(e); // this group only
        }
    }
}
