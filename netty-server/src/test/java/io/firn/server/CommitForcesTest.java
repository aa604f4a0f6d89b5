package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Cursor;
import io.firn.LogStore;
import io.firn.api.ObservedMedium;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commits of many members at the same time, as at the begin of a rebalance. */
class CommitForcesTest {
    private static final int MEMBERS = 40;
    private static final int VERSION = 8;

    @TempDir Path directory;
    private final ObservedMedium medium = new ObservedMedium();
    private final AtomicInteger written = new AtomicInteger();
    private LogStore store;
    private FirnServer server;
    private final List<Wire> wires = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        store =
                StoreBuilder.over(directory.resolve("store"), medium)
                        .tier(FileTier.at(directory.resolve("tier")))
                        .open();
        server = FirnServer.of(store).port(0).set("log.segment.bytes", 65_536).start();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic("orders", MEMBERS, (short) 1))).all().get();
        }
        for (int i = 0; i < MEMBERS; i++) {
            wires.add(new Wire(server));
        }
    }

    @AfterEach
    void stop() throws IOException {
        for (Wire wire : wires) {
            wire.close();
        }
        server.close();
        store.close();
    }

    private static boolean isCursor(Path file) {
        return file.getFileName().toString().contains("cursor-");
    }

    private void commit(int member) throws IOException {
        OffsetCommitRequestTopic topic = new OffsetCommitRequestTopic().setName("orders");
        topic.partitions()
                .add(
                        new OffsetCommitRequestPartition()
                                .setPartitionIndex(member)
                                .setCommittedOffset(0));
        OffsetCommitRequestData request =
                new OffsetCommitRequestData()
                        .setGroupId("readers")
                        .setGenerationIdOrMemberEpoch(-1)
                        .setTopics(List.of(topic));
        wires.get(member).send(Wire.request(ApiKeys.OFFSET_COMMIT, (short) VERSION, request));
    }

    private Errors outcome(int member) throws IOException {
        OffsetCommitResponseData answer =
                wires.get(member)
                        .receive(ApiKeys.OFFSET_COMMIT, VERSION, new OffsetCommitResponseData());
        return Errors.forCode(answer.topics().get(0).partitions().get(0).errorCode());
    }

    /** Holds the first write of a cursor, and may have later ones fail. */
    private CountDownLatch hold(boolean failing) {
        CountDownLatch release = new CountDownLatch(1);
        medium.beforeCreate(
                file -> {
                    if (!isCursor(file)) {
                        return;
                    }
                    if (written.incrementAndGet() == 1) {
                        try {
                            release.await();
                        } catch (InterruptedException e) {
                            throw new IOException(e);
                        }
                    } else if (failing) {
                        throw new IOException(file + ": Input/output error");
                    }
                });
        return release;
    }

    private void commitAll() throws IOException {
        commit(0);
        Running.await("the first write", () -> written.get() == 1);
        for (int i = 1; i < MEMBERS; i++) {
            commit(i);
        }
        Cursor cursor = store.openTopic("orders").cursor("readers");
        Running.await(
                "all cursors to be set, though the first force goes on",
                () -> {
                    for (int i = 0; i < MEMBERS; i++) {
                        if (cursor.offset(i) != 0) {
                            return false;
                        }
                    }
                    return true;
                });
    }

    @Test
    void shouldForceOnceForAllCommitsThatCameDuringAForce() throws IOException {
        CountDownLatch release = hold(false);
        try {
            commitAll();
            for (int i = 1; i < MEMBERS; i++) {
                assertTrue(wires.get(i).isSilentFor(1)); // not durable yet
            }
        } finally {
            release.countDown();
        }
        for (int i = 0; i < MEMBERS; i++) {
            assertEquals(Errors.NONE, outcome(i));
        }
        // The first, one for all others, and perhaps one that the store began by itself.
        assertTrue(written.get() <= 3, written + " writes");
    }

    @Test
    void shouldRefuseAllCommitsOfAForceThatFailedAndForceLaterOnes() throws IOException {
        CountDownLatch release = hold(true);
        try {
            commitAll();
        } finally {
            release.countDown();
        }
        for (int i = 0; i < MEMBERS; i++) {
            assertTrue(outcome(i) != Errors.NONE || i == 0);
        }
        medium.beforeCreate(file -> {});
        commit(1);
        assertEquals(Errors.NONE, outcome(1));
    }
}
