package io.firn.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups and restored stores, made by the commands. */
class BackupAndRestoreTest {
    private static final int RECORDS = 5;

    @TempDir Path directory;
    private Path store;
    private Path backup;
    private Path restored;

    @BeforeEach
    void makeStore() {
        store = directory.resolve("store");
        backup = directory.resolve("backup");
        restored = directory.resolve("restored");
        try (LogStore made = open(store)) {
            for (String topic : new String[] {"orders", "trades"}) {
                try (Appender appender =
                        made.createTopic(topic, TopicOptions.defaults())
                                .partition(0)
                                .openAppender()) {
                    for (int i = 0; i < RECORDS; i++) {
                        appender.append(new byte[] {(byte) i});
                    }
                }
            }
        }
    }

    private static LogStore open(Path where) {
        return LogStore.at(where).tier(FileTier.at(where.resolve("segments"))).open();
    }

    private static Run done(Object... arguments) {
        Run run = Run.firn(arguments);
        assertEquals(Exit.FINE, run.exitCode(), run.toString());
        assertEquals("", run.err());
        return run;
    }

    private void assertRestored(String topic, long end) {
        try (LogStore made = open(restored)) {
            assertEquals(end, made.openTopic(topic).partition(0).nextOffset());
        }
    }

    @Test
    void shouldBackUpAClosedStoreAndRestoreIt() {
        Run made = done("backup", store, backup, "--json");
        assertTrue(
                made.out().contains("{\"topic\":\"orders\",\"partition\":0,\"start\":0,\"end\":5}"),
                made.out());

        Run verified = done("backup", "--verify", backup);
        assertTrue(verified.out().contains(backup.toString()), verified.out());

        done("restore", backup, restored);
        assertRestored("orders", RECORDS);
        assertRestored("trades", RECORDS);
    }

    /** It would let an open skip the forces that a copy needs. */
    @Test
    void shouldLeaveOutThatTheStoreWasClosed() throws IOException {
        assertTrue(Files.exists(store.resolve("clean")));

        done("backup", store, backup);
        done("restore", backup, restored);

        for (Path each : new Path[] {backup, restored}) {
            try (Stream<Path> all = Files.walk(each)) {
                assertFalse(all.anyMatch(path -> path.endsWith("clean")));
            }
        }
    }

    @Test
    void shouldRestoreUntilAnOffsetOrATimeAndChosenTopics() {
        done("backup", store, backup);

        done("restore", backup, restored, "--until", "orders:0:3", "--topics", "orders");
        assertRestored("orders", 3);
        try (LogStore made = open(restored)) {
            assertEquals(List.of("orders"), made.topicNames());
        }

        restored = directory.resolve("at a time");
        done("restore", backup, restored, "--until", "2026-01-01T00:00:00Z");
        assertRestored("orders", 0);
    }

    @Test
    void shouldRestoreWhatAServerStartsWith() {
        done("backup", store, backup);

        done("restore", backup, restored, "--for-server");

        assertTrue(Files.exists(restored.resolve("firn").resolve("store")));
        assertTrue(done("topics", "list", "--store", restored).out().contains("trades"));
    }

    @Test
    void shouldSayWhoCanBackUpAStoreInUse() {
        try (LogStore used = open(store)) {
            Run run = Run.firn("backup", store, backup);
            assertEquals(Exit.FAILED, run.exitCode());
            assertTrue(
                    run.err()
                            .matches(
                                    "(?s).*is locked by this process .* A store in use is backed up"
                                            + " by its own process: let it call"
                                            + " LogStore\\.backupTo\\(.*backup\\)\\R"),
                    run.err());
            assertTrue(used.hasTopic("orders"));
        }
        assertFalse(Files.exists(backup));
    }

    @Test
    void shouldEndWith1WhenTheBackupIsDamagedOrNotComplete() throws IOException {
        done("backup", store, backup);
        Path segment;
        try (Stream<Path> all = Files.walk(backup)) {
            segment =
                    all.filter(each -> each.toString().endsWith(".log")).findFirst().orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(segment);
        bytes[bytes.length / 2] ^= 1;
        Files.write(segment, bytes);

        Run damaged = Run.firn("backup", "--verify", backup);
        Run missing = Run.firn("backup", "--verify", directory.resolve("no backup"));
        Run restore = Run.firn("restore", backup, restored);

        assertEquals(Exit.FOUND, damaged.exitCode());
        assertTrue(damaged.err().contains(segment + " is damaged"), damaged.err());
        assertEquals(Exit.FOUND, missing.exitCode());
        assertTrue(missing.err().contains("there is no complete backup"), missing.err());
        assertEquals(Exit.FAILED, restore.exitCode());
    }

    @Test
    void shouldRefuseWrongArguments() {
        done("backup", store, backup);

        assertEquals(Exit.MISUSED, Run.firn("backup", store).exitCode());
        assertEquals(
                Exit.MISUSED, Run.firn("backup", store, backup, "--bytes-per-second=0").exitCode());
        assertEquals(Exit.MISUSED, Run.firn("backup", store, store.resolve("in")).exitCode());
        Run limit = Run.firn("restore", backup, restored, "--until", "yesterday");
        assertEquals(Exit.MISUSED, limit.exitCode());
        assertTrue(limit.err().contains("TOPIC:PARTITION:OFFSET; found 'yesterday'"), limit.err());
        Run topic = Run.firn("restore", backup, restored, "--topics", "prices");
        assertEquals(Exit.FAILED, topic.exitCode());
        assertTrue(topic.err().contains("has no topics [prices]"), topic.err());
        assertEquals(Exit.MISUSED, Run.firn("restore", backup, store).exitCode());
    }
}
