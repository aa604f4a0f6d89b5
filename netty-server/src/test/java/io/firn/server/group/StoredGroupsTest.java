package io.firn.server.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.host.HostedCursor;
import io.firn.medium.FileMedium;
import io.firn.server.wire.ClientShares;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The groups that a coordinator finds on the disk when it starts, and their memory. */
class StoredGroupsTest {
    private static final String NOTE = "x".repeat(10_000);

    @TempDir Path directory;
    private final ExecutorService finders = Executors.newFixedThreadPool(3);
    private ScheduledThreadPoolExecutor background;
    private LogStore store;
    private Topic topic;
    private ClientShares memory;
    private GroupCoordinator coordinator;
    private OffsetCommitValidator commits;

    @BeforeEach
    void openStore() {
        store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("tier")))
                        .open();
        topic = store.createTopic("orders", TopicOptions.defaults());
        background = new ScheduledThreadPoolExecutor(1);
    }

    @AfterEach
    void stop() {
        background.shutdownNow();
        finders.shutdownNow();
        store.close();
    }

    private void start(long mostBytes) throws IOException {
        start(mostBytes, 1_000_000);
    }

    /** Starts a coordinator with what the one before has stored. */
    private void start(long mostBytes, long retentionMs) throws IOException {
        memory = new ClientShares(mostBytes);
        GroupLimits limits =
                new GroupLimits(1, 1_800_000, Integer.MAX_VALUE, 0, retentionMs, memory);
        GroupFiles files = new GroupFiles(FileMedium.real(), groups());
        coordinator = new GroupCoordinator(files, limits, new GroupOffsets(store), background);
        commits = new OffsetCommitValidator(files, limits);
    }

    private Path groups() {
        return directory.resolve("groups");
    }

    private boolean commit(String id, String owner, String note) {
        return commit(id, owner, Map.of(topic.id() + ".0", note));
    }

    private boolean commit(String id, String owner, Map<String, String> notes) {
        Group group = coordinator.findOrCreate(id, owner);
        if (group == null) {
            return false;
        }
        try {
            return commits.record(group, notes);
        } catch (CoordinatorNotAvailableException e) {
            coordinator.forgetIfUnused(group);
            return false;
        }
    }

    private String noteOf(String id) {
        Group group = coordinator.look(id);
        assertNotNull(group, id);
        synchronized (group) {
            return group.commits().metadata().get(topic.id() + ".0");
        }
    }

    private int fill(String owner, String prefix) {
        int accepted = 0;
        while (commit(prefix + accepted, owner, NOTE)) {
            accepted++;
            assertTrue(accepted < 1_000, "without a limit");
        }
        return accepted;
    }

    @Test
    void shouldCountForItsClientAfterEachRestartWhatItHasCommittedBefore() throws IOException {
        start(1_000_000);
        int accepted = fill("attacker", "a");
        assertTrue(accepted > 10, accepted + " groups");
        for (int restart = 0; restart < 3; restart++) {
            start(1_000_000);
            assertEquals(0, fill("attacker", "b" + restart + "-"));
            assertTrue(commit("honest-" + restart, "honest", NOTE));
        }
        assertEquals(accepted + 3, coordinator.count());
    }

    @Test
    void shouldKnowNoGroupWhoseIdIsLongerThanTheNameOfAFile() throws IOException {
        start(1_000_000);
        fill("client", "g");
        start(100_000);
        String tooLong = "x".repeat(1_000);
        assertFalse(coordinator.has(tooLong));
        assertNull(coordinator.look(tooLong));
        assertEquals(Errors.UNKNOWN_MEMBER_ID, coordinator.heartbeat(tooLong, 1, "m", null));
        assertEquals(Errors.GROUP_ID_NOT_FOUND, coordinator.delete(tooLong));
    }

    @Test
    void shouldCountTheOffsetsOfAGroupAfterARestart() throws IOException {
        start(1_000_000);
        Group group = coordinator.findOrCreate("readers", "client");
        synchronized (group) {
            assertTrue(group.noteCursor(topic.id(), 100_000));
        }
        commits.record(group, Map.of());
        start(1_000_000);
        assertTrue(memory.usedBytes() > 100_000, memory.usedBytes() + " bytes");
        Group again = coordinator.find("readers");
        synchronized (again) {
            assertTrue(again.noteCursor(topic.id(), 1_000_000)); // it has them already
        }
    }

    @Test
    void shouldStartWithMoreGroupsThanFitIntoMemoryAndLoadEachWhenItIsAskedFor()
            throws IOException {
        start(100_000_000);
        for (int i = 0; i < 100; i++) {
            assertTrue(commit("g" + i, "client", NOTE + i));
        }
        start(300_000);
        assertTrue(memory.usedBytes() <= 150_000, memory.usedBytes() + " bytes");
        assertEquals(100, coordinator.count());
        assertEquals(100, coordinator.ids().size());
        for (int i = 0; i < 100; i++) {
            assertEquals(NOTE + i, noteOf("g" + i));
        }
        for (int i = 0; i < 100; i++) {
            Group group = coordinator.find("g" + i);
            assertEquals("g" + i, group.id());
            assertEquals(NOTE + i, noteOf("g" + i));
            assertTrue(memory.usedBytes() <= 300_000, memory.usedBytes() + " bytes");
        }
        assertTrue(commit("new", "another", NOTE));
        assertFalse(commit("g7", "client", NOTE + NOTE)); // it has more than its share already
        assertTrue(commit("g7", "client", "less"));
        assertEquals("less", noteOf("g7"));
        start(100_000_000);
        assertEquals("less", noteOf("g7"));
        assertEquals(NOTE + 8, noteOf("g8"));
        assertEquals(NOTE, noteOf("new"));
    }

    @Test
    void shouldKeepAGroupInMemoryUntilItsFileHasEverything() throws IOException {
        start(100_000_000);
        for (int i = 0; i < 40; i++) {
            assertTrue(commit("g" + i, "client" + i, NOTE));
        }
        start(300_000);
        Group held = coordinator.find("g0");
        synchronized (held) {
            assertTrue(held.noteCursor(topic.id(), 100)); // which is not written yet
        }
        for (int i = 1; i < 40; i++) {
            assertNotNull(coordinator.find("g" + i));
        }
        assertSame(held, coordinator.find("g0"));
        assertTrue(commits.record(held, Map.of()));
        start(100_000_000);
        Group again = coordinator.find("g0");
        synchronized (again) {
            assertEquals(Map.of(topic.id(), 100L), again.commits().topics());
        }
    }

    @Test
    void shouldCountOffsetsThatTheStoreKeepsWhenTheirGroupLeavesTheMemory() throws IOException {
        start(100_000_000);
        for (int i = 0; i < 20; i++) {
            Group group = coordinator.findOrCreate("g" + i, "client" + i);
            synchronized (group) {
                assertTrue(group.noteCursor(topic.id(), 30_000));
            }
            assertTrue(commits.record(group, Map.of(topic.id() + ".0", NOTE)));
        }
        start(600_000);
        int found = 0;
        for (int i = 0; i < 20; i++) {
            try {
                assertNotNull(coordinator.find("g" + i));
                found++;
            } catch (CoordinatorNotAvailableException e) {
                assertTrue(memory.usedBytes() > 500_000, memory.usedBytes() + " bytes");
            }
        }
        assertTrue(found > 12, found + " groups"); // 50,000 bytes each, 20,000 of which may leave
        assertTrue(found < 20, found + " groups");
        assertTrue(memory.usedBytes() >= 30_000L * found, memory.usedBytes() + " bytes");
        assertTrue(memory.usedBytes() <= 600_000, memory.usedBytes() + " bytes");
        for (int i = 0; i < 20; i++) {
            assertEquals(Errors.NONE, coordinator.delete("g" + i));
        }
        assertEquals(0, memory.usedBytes());
        for (int i = 0; i < 20; i++) {
            assertTrue(memory.hasRoomFor("client" + i, 300_000)); // nothing is left of it
        }
    }

    @Test
    void shouldLoadAGroupThatIsLargerThanTheLimitWhenItIsAskedFor() throws IOException {
        start(100_000_000);
        for (int i = 0; i < 3; i++) {
            assertTrue(commit("g" + i, "client", "x".repeat(100_000) + i));
        }
        start(100_000);
        for (int i = 0; i < 3; i++) {
            assertTrue(commit("g" + i, "client", "now less " + i));
        }
        for (int i = 0; i < 3; i++) {
            assertEquals("now less " + i, noteOf("g" + i));
        }
    }

    @Test
    void shouldLoseNoMetadataWhenGroupsLeaveTheMemoryBetweenCommits() throws IOException {
        start(100_000_000);
        for (int i = 0; i < 40; i++) {
            assertTrue(commit("g" + i, "client" + i, NOTE));
        }
        start(300_000);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 40; i++) {
                assertTrue(commit("g" + i, "client" + i, "round " + round + " of " + i));
            }
        }
        for (int i = 0; i < 40; i++) {
            assertEquals("round 2 of " + i, noteOf("g" + i));
        }
    }

    @Test
    void shouldRefuseARequestWhoseGroupHasLeftTheMemorySoThatItIsTriedAgain() throws IOException {
        start(100_000_000);
        for (int i = 0; i < 40; i++) {
            assertTrue(commit("g" + i, "client" + i, NOTE));
        }
        start(300_000);
        Group held = coordinator.find("g0");
        for (int i = 1; i < 40; i++) {
            assertNotNull(coordinator.find("g" + i));
        }
        assertThrows(
                CoordinatorNotAvailableException.class,
                () -> commits.record(held, Map.of("p", "")));
        assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, commits.check(held, "", null, -1, false));
        assertTrue(commit("g0", "client0", "again"));
        assertEquals("again", noteOf("g0"));
    }

    @Test
    void shouldDeleteAndExpireGroupsOfWhichOnlyTheFileIsLeft() throws Exception {
        start(100_000_000);
        for (int i = 0; i < 40; i++) {
            assertTrue(commit("g" + i, "client", NOTE));
        }
        start(100_000);
        for (int i = 0; i < 40; i += 2) {
            assertEquals(Errors.NONE, coordinator.delete("g" + i));
            assertNull(coordinator.look("g" + i));
        }
        assertEquals(20, coordinator.count());
        assertEquals(Errors.GROUP_ID_NOT_FOUND, coordinator.delete("g0"));
        start(100_000, 0);
        Thread.sleep(2); // their retention is over in the next millisecond
        coordinator.expire();
        assertEquals(0, coordinator.count());
        assertEquals(new TreeSet<>(), new TreeSet<>(coordinator.ids()));
        assertEquals(0, memory.usedBytes());
        assertTrue(memory.hasRoomFor("client", 50_000)); // nothing counts for it any more
        assertFalse(hasGroupFiles());
    }

    private boolean hasGroupFiles() throws IOException {
        try (var files = Files.list(groups())) {
            return files.anyMatch(each -> each.getFileName().toString().startsWith("group-"));
        }
    }

    @Test
    void shouldKeepTheMembersOfAGroupThatIsLoadedWhenTheyAreHeardFrom() throws IOException {
        start(100_000_000);
        Actor leader = new Actor(coordinator).join();
        leader.join();
        leader.joined();
        Actor.settle(List.of(leader));
        for (int i = 0; i < 40; i++) {
            assertTrue(commit("g" + i, "client" + i, NOTE));
        }
        start(4_000);
        assertEquals(0, memory.usedBytes());
        assertEquals(
                Errors.NONE,
                coordinator.heartbeat("readers", leader.generation(), leader.id(), null));
        assertTrue(memory.usedBytes() > 0);
    }

    @Test
    void shouldDeleteAndExpireStoredGroupsWithoutMemoryToLoadThem() throws Exception {
        start(100_000_000);
        Actor leader = new Actor(coordinator).metadata(new byte[30_000]).join();
        leader.join();
        leader.joined();
        Actor.settle(List.of(leader));
        for (int i = 0; i < 4; i++) {
            assertTrue(commit("g" + i, "client" + i, NOTE));
        }
        start(50_000, 0);
        for (int i = 0; i < 4; i++) {
            coordinator.find("g" + i); // so that the next one needs all of the memory
        }
        coordinator.heartbeat("readers", leader.generation(), leader.id(), null);
        assertTrue(memory.usedBytes() > 50_000, memory.usedBytes() + " bytes");
        assertThrows(CoordinatorNotAvailableException.class, () -> coordinator.find("g1"));
        assertEquals(Errors.NONE, coordinator.delete("g1"));
        assertNull(coordinator.look("g1"));
        assertNotNull(coordinator.look("g2"));
        Thread.sleep(2); // their retention is over in the next millisecond
        coordinator.expire();
        assertEquals(Set.of("readers"), coordinator.ids());
        assertEquals(1, coordinator.count());
    }

    /** Their files do not say in which topics they have offsets. */
    @Test
    void shouldLoadGroupsOfAnEarlierVersionOneAfterAnotherAlsoWhenTheirOffsetsAreRead()
            throws IOException {
        start(100_000_000);
        for (int i = 0; i < 40; i++) {
            assertTrue(commit("g" + i, GroupMemory.NOBODY, NOTE));
            GroupOffsets.commit(topic, "g" + i, 0, i);
        }
        start(300_000);
        for (int i = 0; i < 40; i++) {
            Group group = coordinator.findToRead("g" + i);
            assertEquals(
                    i,
                    HostedCursor.of(GroupOffsets.read(topic, "g" + i, group))
                            .committed(0)
                            .getAsLong());
        }
        assertTrue(memory.usedBytes() <= 300_000, memory.usedBytes() + " bytes");
        start(300_000);
        for (int i = 0; i < 40; i++) {
            assertEquals(NOTE, noteOf("g" + i));
        }
        Group first = coordinator.find("g0"); // it was written when it left the memory
        synchronized (first) {
            assertEquals(Set.of(topic.id()), first.commits().topics().keySet());
        }
    }

    @Test
    void shouldLetAGroupOfAnEarlierVersionCommitThatHasMoreThanItsShare() throws IOException {
        start(100_000_000);
        for (int i = 0; i < 40; i++) {
            assertTrue(commit("g" + i, GroupMemory.NOBODY, NOTE));
            GroupOffsets.commit(topic, "g" + i, 0, i);
        }
        start(300_000);
        Group full = useAll("client");
        Group group = coordinator.findOrCreate("g7", "client");
        synchronized (group) {
            assertTrue(GroupOffsets.mayCommit(topic, group));
        }
        assertTrue(commit("g7", "client", "less"));
        synchronized (full) {
            assertFalse(GroupOffsets.mayCommit(topic, full)); // it has none yet
        }
    }

    @Test
    void shouldReadThatAGroupHasNoOffsetsWithoutMemoryForThem() throws IOException {
        start(300_000);
        Group full = useAll("client");
        assertNull(GroupOffsets.read(topic, full.id(), full));
    }

    /** Returns a group that uses all that a client may use. */
    private Group useAll(String client) {
        Group group = coordinator.findOrCreate("of " + client, client);
        synchronized (group) {
            while (group.noteCursor(UUID.randomUUID(), 100)) {
                assertTrue(group.commits().topicBytes() < memory.mostBytes(), "without a limit");
            }
        }
        return group;
    }

    @Test
    void shouldFindAGroupThatAnotherThreadLoadsAtThatTime() throws Exception {
        start(100_000_000);
        commit("g", "client", NOTE);
        for (int round = 0; round < 300; round++) {
            start(1_000); // only the file is left
            GroupCoordinator started = coordinator;
            CyclicBarrier both = new CyclicBarrier(3);
            List<Future<Group>> found = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                found.add(
                        finders.submit(
                                () -> {
                                    both.await();
                                    return started.find("g");
                                }));
            }
            for (Future<Group> each : found) {
                assertSame(started.find("g"), each.get(), "round " + round);
            }
        }
    }

    @Test
    void shouldDescribeAGroupThatLeavesTheMemoryAsItIs() throws IOException {
        start(100_000_000);
        for (int i = 0; i < 40; i++) {
            assertTrue(commit("g" + i, "client" + i, NOTE));
        }
        start(300_000);
        Group held = coordinator.find("g0");
        synchronized (held) {
            assertTrue(held.leaveMemory()); // and the other thread has not gone on yet
        }
        Group looked = coordinator.look("g0");
        synchronized (looked) {
            assertEquals(GroupState.EMPTY, looked.state());
        }
    }

    @Test
    void shouldForgetWhatAGroupHasOfTopicsThatWereDeleted() throws IOException {
        start(1_000_000, 1_000_000_000);
        Topic other = store.createTopic("other", TopicOptions.defaults());
        Group group = coordinator.findOrCreate("readers", "client");
        synchronized (group) {
            assertTrue(GroupOffsets.mayCommit(topic, group));
            assertTrue(GroupOffsets.mayCommit(other, group));
        }
        String kept = GroupOffsets.place(topic, 0);
        String gone = GroupOffsets.place(other, 0);
        assertTrue(commits.record(group, Map.of(kept, "a", gone, NOTE)));
        coordinator.expire();
        long before = memory.usedBytes();
        synchronized (group) {
            assertEquals(Set.of(topic.id(), other.id()), group.commits().topics().keySet());
        }
        store.deleteTopic("other");
        coordinator.expire();
        synchronized (group) {
            assertEquals(Set.of(topic.id()), group.commits().topics().keySet());
            assertEquals(Map.of(kept, "a"), group.commits().metadata());
        }
        assertTrue(memory.usedBytes() < before - 20_000, memory.usedBytes() + " bytes");
        assertTrue(commits.record(group, Map.of(kept, "a")));
        start(1_000_000);
        assertTrue(memory.usedBytes() < before - 20_000, memory.usedBytes() + " bytes");
        assertEquals("a", noteOf("readers"));
    }

    @Test
    void shouldCountAGroupOfAnEarlierVersionForTheClientThatCommits() throws IOException {
        start(1_000_000);
        assertTrue(commit("old", GroupMemory.NOBODY, NOTE));
        start(1_000_000);
        assertTrue(memory.hasRoomFor("client", 499_000));
        assertTrue(commit("old", "client", NOTE));
        assertFalse(memory.hasRoomFor("client", 499_000));
        start(1_000_000);
        assertFalse(memory.hasRoomFor("client", 499_000));
    }

    @Test
    void shouldRefuseMetadataThatTogetherIsMoreThanAGroupMayHave() throws IOException {
        start(1_000_000);
        Map<String, String> notes = new HashMap<>();
        for (int i = 0; i < 20; i++) {
            notes.put(topic.id() + "." + i, NOTE);
        }
        assertFalse(commit("readers", "client", notes));
        assertEquals(0, coordinator.count());
    }

    @Test
    void shouldRefuseAnAssignmentForWhichThereIsNoMemory() throws IOException {
        start(8_000);
        Actor leader = new Actor(coordinator).join();
        leader.join();
        leader.joined();
        leader.assigns(new byte[100_000]).sync();
        assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, leader.synced().error());
        assertTrue(memory.usedBytes() < 8_000, memory.usedBytes() + " bytes");
    }

    @Test
    void shouldRefuseAMemberThatJoinsAgainWithMoreThanThereIsMemoryFor() throws IOException {
        start(20_000);
        Actor member = new Actor(coordinator).join();
        member.join();
        member.joined();
        member.metadata(new byte[100_000]).join();
        assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, member.joinError());
    }
}
