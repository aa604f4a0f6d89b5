package io.firn.server.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Cursor;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.api.ObservedMedium;
import io.firn.file.FileTier;
import io.firn.server.wire.ClientShares;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups whose files cannot be written or deleted, as on a full disk. */
class GroupFailuresTest {
    private long nowNs;
    @TempDir Path directory;
    private final ObservedMedium medium = new ObservedMedium();
    private ScheduledThreadPoolExecutor background;
    private LogStore store;
    private GroupFiles files;
    private GroupCoordinator coordinator;
    private OffsetCommitValidator commits;

    @BeforeEach
    void start() throws IOException {
        store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("tier")))
                        .open();
        var unused = store.createTopic("orders", TopicOptions.defaults());
        background = new ScheduledThreadPoolExecutor(2);
        files = new GroupFiles(medium, directory.resolve("groups"));
        GroupLimits limits =
                new GroupLimits(
                        1, 1_800_000, Integer.MAX_VALUE, 0, 0, new ClientShares(100_000_000));
        coordinator = new GroupCoordinator(files, limits, new GroupOffsets(store), background);
        commits = new OffsetCommitValidator(files, limits);
    }

    @AfterEach
    void stop() {
        background.shutdownNow();
        store.close();
    }

    private void fillDisk() {
        medium.beforeCreate(
                file -> {
                    throw new IOException(file + ": No space left on device");
                });
    }

    private Group committed(String id) {
        Group group = coordinator.findOrCreate(id, "owner");
        commits.record(group, Map.of());
        return group;
    }

    @Test
    void shouldWriteANoteDownWhenItComesAgainAfterAWriteThatFailed() throws IOException {
        Group group = committed("readers");
        fillDisk();
        Map<String, String> notes = Map.of("orders.0", "note");
        assertThrows(FirnException.class, () -> commits.record(group, notes));
        medium.beforeCreate(null);
        commits.record(group, notes);
        Group read = files.read("readers", System.nanoTime());
        synchronized (read) {
            assertEquals("note", read.commits().metadata().get("orders.0"));
        }
    }

    @Test
    void shouldGoOnWithAGroupThatCouldNotBeDeletedAndDeleteItLater() {
        committed("readers");
        medium.beforeDelete(
                file -> {
                    throw new IOException(file + ": Input/output error");
                });
        assertThrows(FirnException.class, () -> coordinator.delete("readers"));
        Group kept = coordinator.find("readers");
        synchronized (kept) {
            assertFalse(kept.is(GroupState.DEAD));
        }
        medium.beforeDelete(null);
        assertEquals(Errors.NONE, coordinator.delete("readers"));
        assertNull(coordinator.find("readers"));
    }

    @Test
    void shouldExpireOtherGroupsWhenOneCannotBeDeleted() throws InterruptedException {
        for (String id : List.of("a", "b", "c", "d")) {
            committed(id);
        }
        Thread.sleep(2); // their retention is over in the next millisecond
        medium.beforeDelete(
                file -> {
                    if (file.getFileName().toString().equals("group-b")) {
                        throw new IOException(file + ": Input/output error");
                    }
                });
        coordinator.expire();
        List<String> left = new ArrayList<>();
        left.addAll(coordinator.ids());
        assertEquals(List.of("b"), left);
    }

    @Test
    void shouldTellMembersToTryAgainWhenTheirAssignmentCannotBeWritten() {
        Actor leader = new Actor(coordinator).join();
        leader.join();
        leader.joined();
        fillDisk();
        assertThrows(FirnException.class, leader::sync);
        assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, leader.synced().error());
        medium.beforeCreate(null);
        Actor.settle(List.of(leader));
        assertEquals(Errors.NONE, leader.heartbeat());
    }

    private static final Executor NEVER =
            rest -> {
                throw new AssertionError("nothing takes long");
            };

    /** A cursor each of whose forces takes long, by a clock of the test. */
    private Cursor slow(String name, List<String> forced) {
        return (Cursor)
                Proxy.newProxyInstance(
                        Cursor.class.getClassLoader(),
                        new Class<?>[] {Cursor.class},
                        (proxy, method, arguments) ->
                                switch (method.getName()) {
                                    case "force" -> {
                                        nowNs += 100_000_000;
                                        forced.add(name);
                                        yield null;
                                    }
                                    case "hashCode" -> System.identityHashCode(proxy);
                                    case "equals" -> proxy == arguments[0];
                                    default -> name;
                                });
    }

    @Test
    void shouldGiveItsThreadBackBetweenForcesThatTakeLong() {
        SharedCommitForce forces = new SharedCommitForce(() -> nowNs);
        Deque<Runnable> later = new ArrayDeque<>();
        List<String> done = new ArrayList<>();
        Cursor a = slow("a", done);
        Set<Cursor> both = new LinkedHashSet<>(List.of(a, slow("b", done)));
        forces.force(both, later::add, failure -> done.add("first"));
        assertEquals(List.of("a"), done);
        // Comes after that force began, which is none for it.
        forces.force(Set.of(a), later::add, failure -> done.add("second"));
        while (!later.isEmpty()) {
            later.poll().run();
        }
        assertEquals(List.of("a", "b", "first", "a", "second"), done);
        forces.force(Set.of(a), later::add, failure -> done.add("third"));
        assertEquals(List.of("a", "third"), done.subList(5, 7));
    }

    @Test
    void shouldAnswerAllCommitsWhenTheServerClosesBetweenForces() {
        SharedCommitForce forces = new SharedCommitForce(() -> nowNs);
        List<String> done = new ArrayList<>();
        Set<Cursor> both = new LinkedHashSet<>(List.of(slow("a", done), slow("b", done)));
        Executor closed =
                rest -> {
                    throw new RejectedExecutionException("closed");
                };
        assertThrows(
                RejectedExecutionException.class,
                () -> forces.force(both, closed, failure -> done.add(failure.getMessage())));
        assertEquals(2, done.size());
        assertTrue(done.get(1).contains("failed"), done.get(1));
    }

    @Test
    void shouldAnswerAllCommitsOfAForceThatEndsWithAnError() {
        SharedCommitForce forces = new SharedCommitForce();
        List<String> answers = new ArrayList<>();
        Runnable nested =
                () -> {
                    for (String each : List.of("second", "third")) {
                        forces.force(Set.of(), NEVER, failure -> answers.add(each + " " + failure));
                    }
                    throw new AssertionError("as an error of the JVM");
                };
        assertThrows(
                AssertionError.class, () -> forces.force(Set.of(), NEVER, failure -> nested.run()));
        assertEquals(2, answers.size());
        forces.force(Set.of(), NEVER, failure -> answers.add("later"));
        assertTrue(answers.contains("later"));
    }
}
