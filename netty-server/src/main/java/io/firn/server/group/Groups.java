package io.firn.server.group;

import io.firn.medium.FileMedium;
import io.firn.server.config.ServerConfig;
import io.firn.server.log.InternalTopics;
import io.firn.server.log.Node;
import io.firn.server.log.ServedTopics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Everything that has to do with groups, put together. */
public final class Groups {
    private static final long EXPIRE_MINUTES = 5;

    private final GroupCoordinator coordinator;
    private final MembershipApis membership;
    private final OffsetApis offsets;
    private final GroupAdmin admin;
    private final CoordinatorFinder finder;

    /**
     * Over the topics.
     *
     * @param directory where groups are written down
     * @param background what ends sessions in time, from now on
     */
    public Groups(
            ServedTopics topics,
            Supplier<Node> node,
            ServerConfig config,
            FileMedium medium,
            Path directory,
            ScheduledExecutorService background)
            throws IOException {
        Offsets cursors = new Offsets(topics.store());
        coordinator =
                new GroupCoordinator(
                        new GroupFiles(medium, directory),
                        GroupLimits.of(config),
                        cursors,
                        background);
        membership = new MembershipApis(coordinator);
        offsets =
                new OffsetApis(
                        coordinator, cursors, topics, config.integer("offset.metadata.max.bytes"));
        admin = new GroupAdmin(coordinator, cursors, topics);
        finder = new CoordinatorFinder(node, new InternalTopics(topics));
    }

    /** Has groups that nobody uses be deleted in time. */
    @SuppressWarnings("FutureReturnValueIgnored") // it ends with the executor
    public void start(ScheduledExecutorService background) {
        background.scheduleWithFixedDelay(
                coordinator::expire, EXPIRE_MINUTES, EXPIRE_MINUTES, TimeUnit.MINUTES);
    }

    /** Members. */
    public MembershipApis membership() {
        return membership;
    }

    /** Where groups stand. */
    public OffsetApis offsets() {
        return offsets;
    }

    /** For operators. */
    public GroupAdmin admin() {
        return admin;
    }

    /** Who coordinates. */
    public CoordinatorFinder finder() {
        return finder;
    }

    /** How many groups there are. */
    public int count() {
        return coordinator.count();
    }
}
