package io.firn.server.group;

import io.firn.medium.FileMedium;
import io.firn.server.config.ServerConfig;
import io.firn.server.log.Nodes;
import io.firn.server.log.ServedTopics;
import io.firn.server.wire.Handler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.OffsetDeleteRequestData;

/** The parts of the group coordinator, and its handlers. */
public final class Groups {
    private static final long EXPIRE_MINUTES = 5;

    private final GroupCoordinator coordinator;
    private final MembershipApis membership;
    private final OffsetCommitHandler commits;
    private final OffsetFetchHandler fetches;
    private final TransactionMetadata transactionMetadata;
    private final LateRequests lateRequests;
    private final TransactionalCommitHandler transactionalCommits;
    private final GroupAdmin admin;
    private final OffsetDeleteHandler deletions;
    private final CoordinatorFinder finder;

    /**
     * Reads the files of groups, and starts their timers.
     *
     * @param directory the directory of the files of groups
     * @param background runs the timers
     * @throws IOException if the directory cannot be read or created
     */
    public Groups(
            ServedTopics topics,
            Nodes nodes,
            ServerConfig config,
            FileMedium medium,
            Path directory,
            ScheduledExecutorService background)
            throws IOException {
        GroupOffsets offsets = new GroupOffsets(topics.store());
        GroupFiles files = new GroupFiles(medium, directory);
        GroupLimits limits = GroupLimits.of(config);
        coordinator = new GroupCoordinator(files, limits, offsets, background);
        membership = new MembershipApis(coordinator);
        GroupCommits checked = new GroupCommits(files, limits);
        int metadataChars = config.integer("offset.metadata.max.bytes");
        commits = new OffsetCommitHandler(coordinator, checked, topics, metadataChars);
        lateRequests = new LateRequests(topics.store().transactions());
        transactionMetadata =
                new TransactionMetadata(coordinator, checked, topics.store().transactions());
        transactionMetadata.recover();
        transactionalCommits =
                new TransactionalCommitHandler(
                        coordinator, checked, topics, lateRequests, metadataChars);
        fetches = new OffsetFetchHandler(coordinator, offsets, topics);
        admin = new GroupAdmin(coordinator, offsets);
        deletions = new OffsetDeleteHandler(coordinator, offsets, topics);
        finder = new CoordinatorFinder(nodes, new OffsetsTopic(topics));
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
    public TransactionalCommitHandler transactionalCommits() {
        return transactionalCommits;
    }

    /** Returns what finds requests of producers that come too late. */
    public LateRequests lateRequests() {
        return lateRequests;
    }

    /** Returns what was committed beside offsets in transactions that are open. */
    public TransactionMetadata transactionMetadata() {
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
    public CoordinatorFinder finder() {
        return finder;
    }

    /** Returns the number of groups. */
    public int count() {
        return coordinator.count();
    }
}
