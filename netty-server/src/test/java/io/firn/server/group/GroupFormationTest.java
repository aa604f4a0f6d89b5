package io.firn.server.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.FileMedium;
import io.firn.server.wire.ClientShares;
import io.firn.sim.FirstRunOnly;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How groups form and change, by generations: many members, slow ones, dead ones, odd ones. */
@FirstRunOnly
class GroupFormationTest {
    private static final int MANY = 500;

    @TempDir Path directory;
    private ScheduledThreadPoolExecutor background;
    private GroupCoordinator coordinator;

    @BeforeEach
    void start() throws IOException {
        start(0);
    }

    /** Starts, in the place of one that ran before. */
    private void start(int initialDelayMs) throws IOException {
        if (background != null) {
            background.shutdownNow();
        }
        background = new ScheduledThreadPoolExecutor(2);
        GroupLimits limits =
                new GroupLimits(
                        1,
                        1_800_000,
                        Integer.MAX_VALUE,
                        initialDelayMs,
                        Long.MAX_VALUE,
                        new ClientShares(100_000_000));
        coordinator =
                new GroupCoordinator(
                        new GroupFiles(FileMedium.real(), directory), limits, null, background);
    }

    @AfterEach
    void stop() {
        background.shutdownNow();
    }

    private List<Actor> actors(int count) {
        return IntStream.range(0, count).mapToObj(i -> new Actor(coordinator)).toList();
    }

    private static Actor leaderOf(List<Actor> actors) {
        return actors.stream().filter(Actor::leads).findFirst().orElseThrow();
    }

    // ---- many

    @Test
    void shouldFormInOneGenerationWhenAllMembersHaveTheirIdsBeforeTheFirstJoins() {
        List<Actor> actors = actors(MANY);
        actors.forEach(Actor::join);
        actors.forEach(actor -> assertEquals(Errors.MEMBER_ID_REQUIRED, actor.joinError()));
        Actor.settle(actors);
        for (Actor actor : actors) {
            assertEquals(1, actor.generation());
            assertEquals(actor.id(), new String(actor.synced().assignment(), UTF_8));
            assertEquals(Errors.NONE, actor.heartbeat());
        }
        assertEquals(MANY, leaderOf(actors).joined().members().size());
    }

    @Test
    void shouldFormInFewGenerationsWhenMembersJoinWithinTheInitialDelay() throws IOException {
        start(500);
        List<Actor> actors = actors(MANY);
        actors.forEach(Actor::withoutIdFirst);
        Actor.settle(actors);
        int generation = actors.get(0).generation();
        actors.forEach(actor -> assertEquals(generation, actor.generation()));
        assertTrue(generation <= 3, "generation " + generation);
    }

    @Test
    void shouldBeCompleteInOneGenerationAgainWhenATenthLeavesAndWhenItComesBack() {
        List<Actor> actors = new ArrayList<>(actors(MANY));
        actors.forEach(Actor::join);
        Actor.settle(actors);
        List<Actor> going = new ArrayList<>(actors.subList(0, MANY / 10)); // the leader, too
        actors.removeAll(going);
        going.forEach(actor -> assertEquals(Errors.NONE, actor.leave()));
        actors.forEach(actor -> assertEquals(Errors.REBALANCE_IN_PROGRESS, actor.heartbeat()));
        Actor.settle(actors);
        actors.forEach(actor -> assertEquals(2, actor.generation()));

        List<Actor> coming = actors(MANY / 10);
        coming.forEach(Actor::join);
        actors.addAll(coming);
        Actor.settle(actors);
        actors.forEach(actor -> assertEquals(3, actor.generation()));
    }

    @Test
    void shouldKeepItsGenerationWhenAllStaticMembersAreReplacedByNewProcesses() {
        List<Actor> actors = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            actors.add(new Actor(coordinator, "instance-" + i));
        }
        actors.forEach(Actor::join);
        assertEquals(1, actors.get(0).joined().generation()); // alone
        Actor.settle(actors);
        int generation = actors.get(0).generation();
        for (int i = 0; i < MANY; i++) {
            Actor again = new Actor(coordinator, "instance-" + i);
            again.join().joined();
            again.sync();
            assertEquals(Errors.NONE, again.synced().error());
            assertEquals(generation, again.generation());
            assertEquals(Errors.FENCED_INSTANCE_ID, actors.get(i).heartbeat());
        }
    }

    @Test
    void shouldGoOnWhenTenThousandJoinsOfOneClientAreLeftPending() {
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            Actor knocks = new Actor(coordinator).session(1_000).join();
            assertEquals(Errors.MEMBER_ID_REQUIRED, knocks.joinError());
            ids.add(knocks.id());
        }
        assertEquals(10_000, ids.size());
        Actor stays = new Actor(coordinator).join();
        Actor.settle(List.of(stays));
        assertEquals(1, stays.generation());
        assertEquals(1, stays.joined().members().size());
        assertTrue(hasNoPendingIds(coordinator.find(Actor.GROUP)));
    }

    // ---- those that die

    @Test
    void shouldGoOnWithoutMembersThatDoNotComeBackWithTheirIds() {
        List<Actor> actors = actors(20);
        actors.forEach(actor -> actor.session(1_000).join());
        List<Actor> rest = actors.subList(10, 20);
        Actor.settle(rest);
        rest.forEach(actor -> assertEquals(1, actor.generation()));
        assertEquals(10, leaderOf(rest).joined().members().size());
    }

    @Test
    void shouldGoOnWithoutMembersThatDieBetweenJoinAndSync() {
        List<Actor> actors = new ArrayList<>(actors(20));
        List<Actor> dead = actors.subList(10, 20);
        dead.forEach(actor -> actor.session(500));
        actors.forEach(Actor::join);
        actors.forEach(Actor::join);
        actors.forEach(Actor::joined);
        List<Actor> rest = new ArrayList<>(actors.subList(0, 10));
        rest.forEach(Actor::sync);
        rest.forEach(actor -> assertEquals(Errors.NONE, actor.synced().error()));
        Actor.await(
                "a rebalance without the dead",
                () ->
                        rest.get(0).heartbeat() == Errors.REBALANCE_IN_PROGRESS
                                && memberCount(coordinator.find(Actor.GROUP)) == 10);
        Actor.settle(rest);
        assertEquals(10, leaderOf(rest).joined().members().size());
    }

    @Test
    void shouldTakeALeaderOutThatNeverSyncs() {
        replaceTheLeader(null);
    }

    @Test
    void shouldTakeAStaticLeaderOutThatNeverSyncs() {
        replaceTheLeader("instance");
    }

    private void replaceTheLeader(String instance) {
        Actor leader = new Actor(coordinator, instance).rebalance(300).join();
        leader.join();
        leader.joined();
        assertTrue(leader.leads());
        Actor other = new Actor(coordinator).rebalance(300).join();
        other.join();
        leader.join(); // tells nobody why it does not sync, and goes on with its heartbeats
        leader.joined();
        other.joined();
        assertFalse(other.leads());
        other.sync();
        Actor.await(
                "an answer to the follower",
                () -> {
                    leader.heartbeat();
                    return other.hasSynced();
                });
        assertEquals(Errors.REBALANCE_IN_PROGRESS, other.synced().error());
        assertEquals(Errors.UNKNOWN_MEMBER_ID, leader.heartbeat());
        Actor.settle(List.of(other));
        assertTrue(other.leads());
    }

    @Test
    void shouldKeepFollowersThatWaitedForTheLeaderLongerThanTheirSession() {
        Actor leader = new Actor(coordinator).join();
        Actor follower = new Actor(coordinator).session(2_000).join();
        leader.join();
        follower.join();
        leader.joined();
        follower.joined();
        follower.sync();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2_300)); // they need no heartbeats
        Actor third = new Actor(coordinator).join();
        third.join(); // has everybody join again
        assertEquals(Errors.REBALANCE_IN_PROGRESS, follower.synced().error());
        // One that gets an id and never comes back has the clock look at the group.
        new Actor(coordinator).session(20).join();
        Group group = coordinator.find(Actor.GROUP);
        Actor.await("the clock to look", () -> hasNoPendingIds(group));
        Actor.settle(List.of(leader, follower, third));
        assertEquals(3, leader.joined().members().size());
    }

    private static int memberCount(Group group) {
        synchronized (group) {
            return group.members().size();
        }
    }

    private static boolean isEmpty(Group group) {
        synchronized (group) {
            return group.is(GroupState.EMPTY);
        }
    }

    private static boolean hasNoPendingIds(Group group) {
        synchronized (group) {
            return group.members().pendingCount() == 0;
        }
    }

    @Test
    void shouldAnswerAnEarlierSyncOfAMemberThatAsksAgain() {
        Actor leader = new Actor(coordinator).join();
        Actor follower = new Actor(coordinator).join();
        leader.join();
        follower.join();
        leader.joined();
        follower.joined();
        List<Errors> answers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            coordinator.sync(
                    new GroupCoordinator.SyncRequest(
                            Actor.GROUP,
                            follower.generation(),
                            follower.id(),
                            null,
                            "consumer",
                            "range",
                            Map.of()),
                    answer -> answers.add(answer.error()));
        }
        assertEquals(List.of(Errors.UNKNOWN_MEMBER_ID), answers);
        leader.sync();
        assertEquals(List.of(Errors.UNKNOWN_MEMBER_ID, Errors.NONE), answers);
    }

    // ---- those that do not fit

    @Test
    void shouldTakeOnlyMembersWithAProtocolThatAllHave() {
        Actor both = new Actor(coordinator).protocols("range", "sticky").withoutIdFirst();
        Actor range = new Actor(coordinator).protocols("range").withoutIdFirst();
        Actor sticky = new Actor(coordinator).protocols("sticky").withoutIdFirst();
        Actor.settle(List.of(both));
        range.join();
        Actor.settle(List.of(both, range));
        assertEquals("range", both.joined().protocol());
        assertEquals(Errors.INCONSISTENT_GROUP_PROTOCOL, sticky.join().joinError());
        assertEquals(Errors.NONE, range.leave());
        Actor.settle(List.of(both));
        sticky.join();
        both.join();
        assertEquals("sticky", both.joined().protocol());
        assertEquals("sticky", sticky.joined().protocol());
        both.protocols("range").join();
        assertEquals(Errors.INCONSISTENT_GROUP_PROTOCOL, both.joinError());
    }

    @Test
    void shouldRefuseMembersWhoseMetadataTheGroupHasNoRoomForAndKeepTheOthersAfterARestart()
            throws IOException {
        List<Actor> actors = new ArrayList<>();
        Actor last = null;
        for (int i = 0; i < 100 && last == null; i++) {
            Actor large =
                    new Actor(coordinator).metadata(new byte[1 << 20]).withoutIdFirst().join();
            if (large.hasJoined() && large.joinError() == Errors.GROUP_MAX_SIZE_REACHED) {
                last = large;
            } else {
                actors.add(large);
            }
        }
        assertEquals(7, actors.size());
        actors.get(0).joined(); // a generation of its own, and then with all
        Actor.settle(actors);
        start();
        for (Actor each : actors) {
            assertEquals(
                    Errors.NONE,
                    coordinator.heartbeat(Actor.GROUP, each.generation(), each.id(), null));
        }
    }

    // ---- idle

    @Test
    void shouldSetNoTimerForHeartbeats() {
        List<Actor> actors = actors(50);
        actors.forEach(Actor::join);
        Actor.settle(actors);
        long before = background.getTaskCount();
        assertTrue(before > 0);
        for (int i = 0; i < 100; i++) {
            actors.forEach(actor -> assertEquals(Errors.NONE, actor.heartbeat()));
        }
        assertEquals(before, background.getTaskCount());
    }

    @Test
    void shouldEndTheSessionsOfMembersThatDoNotComeBackAfterARestart() throws IOException {
        List<Actor> actors = actors(3);
        actors.forEach(actor -> actor.session(1_000).join());
        Actor.settle(actors);
        start();
        Actor.await("an empty group", () -> isEmpty(coordinator.find(Actor.GROUP)));
    }
}
