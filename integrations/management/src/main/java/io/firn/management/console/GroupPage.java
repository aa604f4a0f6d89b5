package io.firn.management.console;

import io.firn.server.ServerClients;
import io.firn.server.ServerClients.GroupStatus;
import io.firn.server.ServerClients.MemberStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A group, or a cursor of the application: its members, and its lag in each partition. */
final class GroupPage {
    private static final int MOST_MEMBERS = 200;

    private final Snapshots now;
    private final ServerClients clients;

    GroupPage(Snapshots now, ServerClients clients) {
        this.now = now;
        this.clients = clients;
    }

    /** A member. */
    record Member(String id, String instanceId, String clientId, String host) {
        static Member of(MemberStatus member) {
            return new Member(
                    member.id(),
                    member.instanceId().orElse(null),
                    member.clientId(),
                    member.host().replaceFirst("^/", ""));
        }
    }

    /**
     * The answer.
     *
     * @param state null if it has no members, and never had any
     * @param memberCount how many there are; the list is bounded
     * @param lags the largest ones
     */
    record Answer(
            String name,
            String state,
            String protocol,
            int memberCount,
            List<Member> members,
            List<LagRow> lags) {}

    Answer answer(Query query) {
        String name = query.text("name");
        Optional<GroupStatus> group = clients.group(name);
        List<MemberStatus> members = group.map(GroupStatus::members).orElse(List.of());
        List<LagRow> lags = new ArrayList<>();
        now.cursors()
                .forEach(
                        (topic, all) ->
                                all.stream()
                                        .filter(each -> each.cursor().equals(name))
                                        .forEach(each -> lags.add(LagRow.of(topic, each))));
        return new Answer(
                name,
                group.map(GroupStatus::state).orElse(null),
                group.map(GroupStatus::protocol).orElse(""),
                members.size(),
                members.stream().limit(MOST_MEMBERS).map(Member::of).toList(),
                LagRow.sorted(lags));
    }
}
