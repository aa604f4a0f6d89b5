package io.firn.server.group;

import io.firn.server.config.ServerConfig;
import io.firn.server.log.AdvertisedListeners;
import io.firn.server.log.ServedTopics;
import io.firn.server.wire.Handler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.OffsetDeleteRequestData;

/** The parts of the group coordinator, and its handlers. */
public final class GroupHandlers {
    private static final long EXPIRE_MINUTES = 5;

    private final GroupCoordinator coordinator;
    private final MembershipApis membership;
    private final OffsetCommitHandler commits;
    private final OffsetFetchHandler fetches;
    private final PendingOffsetMetadata transactionMetadata;
    private final StaleRequests lateRequests;
    private final TxnOffsetCommitHandler transactionalCommits;
    private final GroupAdmin admin;
    private final OffsetDeleteHandler deletions;
    private final FindCoordinatorHandler finder;

    /**
     * Reads the files of groups, and starts their timers.
     *
     * @param files the files of groups
     * @param background runs the timers
     * @throws IOException if the directory cannot be read or created
     */
    public GroupHandlers(
            ServedTopics topics,
            AdvertisedListeners nodes,
            ServerConfig config,
            GroupFiles files,
            ScheduledExecutorService background)
            throws IOException {
        GroupOffsets offsets = new GroupOffsets(topics.store());
        GroupLimits limits = GroupLimits.of(config);
        coordinator = new GroupCoordinator(files, limits, offsets, background);
        membership = new MembershipApis(coordinator);
        OffsetCommitValidator checked = new OffsetCommitValidator(files, limits);
        int metadataChars = config.integer("offset.metadata.max.bytes");
        commits = new OffsetCommitHandler(coordinator, checked, topics, metadataChars);
        lateRequests = new StaleRequests(topics.store().transactions());
        transactionMetadata =
                new PendingOffsetMetadata(coordinator, checked, topics.store().transactions());
        transactionMetadata.recover();
        transactionalCommits =
                new TxnOffsetCommitHandler(
                        coordinator, checked, topics, lateRequests, metadataChars);
        fetches = new OffsetFetchHandler(coordinator, offsets, topics);
        admin = new GroupAdmin(coordinator, offsets);
        deletions = new OffsetDeleteHandler(coordinator, offsets, topics);
        finder = new FindCoordinatorHandler(nodes, topics);
    }

    /** Starts to delete groups that have not been used for the retention time. */
    @SuppressWarnings("FutureReturnValueIgnored") // it ends with the executor
    public void start(ScheduledExecutorService timers, Executor worker) {
        timers.scheduleWithFixedDelay(
                () -> worker.execute(coordinator::expire),
                EXPIRE_MINUTES,
                EXPIRE_MINUTES,
                TimeUnit.MINUTES);
    }

    /** Returns the handlers for members. */
    public MembershipApis membership() {
        return membership;
    }

    /** Returns the handler of commits. */
    public OffsetCommitHandler commits() {
        return commits;
    }

    /** Returns the handler of commits in transactions. */
    public TxnOffsetCommitHandler transactionalCommits() {
        return transactionalCommits;
    }

    /** Returns what finds requests of producers that come too late. */
    public StaleRequests lateRequests() {
        return lateRequests;
    }

    /** Returns what was committed beside offsets in transactions that are open. */
    public PendingOffsetMetadata transactionMetadata() {
        return transactionMetadata;
    }

    /** Returns the handler that reads committed offsets. */
    public OffsetFetchHandler fetches() {
        return fetches;
    }

    /** Returns the handler that deletes committed offsets. */
    public Handler<OffsetDeleteRequestData> deletions() {
        return deletions;
    }

    /** Returns the handlers for administrators. */
    public GroupAdmin admin() {
        return admin;
    }

    /** Returns the handler of FindCoordinator. */
    public FindCoordinatorHandler finder() {
        return finder;
    }

    /** Returns the ids of all groups. */
    public Set<String> ids() {
        return coordinator.ids();
    }

    /** Returns a group as it is now; null if there is none. */
    public GroupView look(String groupId) {
        Group group = coordinator.look(groupId);
        return group == null ? null : GroupView.of(group);
    }

    /** Returns the number of groups. */
    public int count() {
        return coordinator.count();
    }

    /**
     * A group at one moment.
     *
     * @param state as Kafka's tools show it
     * @param protocol the assignor that its members have agreed on; empty unless it is stable
     */
    public record GroupView(String state, String protocol, List<MemberView> members) {

        /**
         * A member.
         *
         * @param id as the server has named it
         * @param instanceId null unless it is a static member
         */
        public record MemberView(String id, String instanceId, String clientId, String host) {}

        static GroupView of(Group group) {
            synchronized (group) {
                String protocol = group.is(GroupState.STABLE) ? group.protocol() : "";
                List<MemberView> members = new ArrayList<>();
                for (Member each : group.members()) {
                    members.add(of(each));
                }
                return new GroupView(
                        group.state().shown(),
                        protocol == null ? "" : protocol,
                        Collections.unmodifiableList(members));
            }
        }

        private static MemberView of(Member member) {
            return new MemberView(
                    member.id(), member.instanceId(), member.clientId(), member.clientHost());
        }
    }
}
