package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Backup;
import io.firn.Backup.Part;
import io.firn.BackupOptions;
import io.firn.LogStore;
import io.firn.LogStore.MoveControl;
import io.firn.LogStoreBuilder;
import io.firn.MediumException;
import io.firn.RecordHandler.Action;
import io.firn.RestoreOptions;
import io.firn.StoreFullException;
import io.firn.StoreOpenException;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.backup.SavedBackup;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.sim.SecondRun;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Power cuts and kills at every operation of a backup, and of a restore. */
class BackupCrashTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final int MOST_FAILURES = 3;
    private static final int LENGTH = 9_000;
    private static final Path BACKUP = Path.of("/sim/backup");

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final CachedEpochClock clock = new CachedEpochClock();
    private final List<String> failures = new ArrayList<>();
    private final Set<Long> ends = new HashSet<>();
    private int crashes;
    private int stores;
    private LogStore store;
    private Topic topic;

    /** A crash, and what is expected after it. */
    @FunctionalInterface
    private interface Check {
        void of(SimulatedFileMedium left);
    }

    @BeforeAll
    static void silence() {
        LOG.setLevel(Level.OFF);
    }

    private LogStoreBuilder at(SimulatedFileMedium on, String where) {
        return StoreBuilder.over(Path.of("/sim", where), on)
                .tier(FileTier.at(Path.of("/sim", where + "-tier")).withMedium(on))
                .clock(clock)
                .invokerMode();
    }

    private void begin() {
        clock.update(1_700_000_000_000L);
        store = at(medium, "store").open();
        topic = store.createTopic("t", Simulation.SMALL);
        append(10);
    }

    private void append(int count) {
        try (Appender appender = topic.partition(0).openAppender()) {
            for (int i = 0; i < count; i++) {
                appender.append(new byte[LENGTH]);
                clock.advance(200);
                for (int pass = 0; pass < 3; pass++) {
                    store.doWork();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldHaveAWholeBackupWhereverTheNextOneIsCutOff(boolean usesLinks) {
        BackupOptions options =
                usesLinks ? BackupOptions.defaults() : BackupOptions.defaults().withoutLinks();
        begin();
        store.backupTo(BACKUP, options);
        append(10);
        crashAtEach(left -> checkBackup(left, options));
        Backup last = store.backupTo(BACKUP, options);
        medium.onOperation(number -> {});
        assertEquals(!usesLinks, last.bytes().linked() == 0, last.bytes().toString());
        crash("after the end", medium.crash(Survival.NONE), left -> checkEnd(left, 20));
        store.close();
        assertEquals(List.of(), failures, crashes + " crashes");
        assertEquals(Set.of(10L, 20L), ends);
        assertTrue(crashes > SecondRun.share(60, 3), crashes + " crashes only");
    }

    private void crashAtEach(Check check) {
        medium.onOperation(
                number -> {
                    if (!SecondRun.leavesOut(number, 3)) {
                        crash("a power cut", medium.crash(Survival.NONE), check);
                        crash("a kill", medium.kill(), check);
                        for (int seed = 0; seed < 4; seed++) {
                            Survival some = Survival.random(number * 4 + seed);
                            crash("a torn cut", medium.crash(some), check);
                        }
                        crash("lost bytes", medium.crash(Survival.NAMES), check);
                    }
                });
    }

    private void crash(String kind, SimulatedFileMedium left, Check check) {
        if (failures.size() >= MOST_FAILURES) {
            return;
        }
        crashes++;
        try {
            check.of(left);
        } catch (AssertionError | RuntimeException e) {
            String at = medium.history().get(medium.operations() - 1);
            failures.add("before " + at + ", " + kind + ": " + e + left);
        }
    }

    /** There is one, and the next one is made. */
    private void checkBackup(SimulatedFileMedium left, BackupOptions options) {
        ends.add(
                SavedBackup.verify(left, BACKUP, MoveControl.UNLIMITED).parts().get(0).endOffset());
        try (LogStore again = at(left, "store").open()) {
            assertEquals(20, again.backupTo(BACKUP, options).parts().get(0).endOffset());
        }
        checkEnd(left.crash(Survival.NONE), 20);
    }

    private void checkEnd(SimulatedFileMedium left, long end) {
        Backup found = SavedBackup.verify(left, BACKUP, MoveControl.UNLIMITED);
        assertEquals(List.of(new Part("t", 0, 0, end)), found.parts());
        at(left, "again").restore(BACKUP, RestoreOptions.all());
        try (LogStore again = at(left.crash(Survival.NONE), "again").open()) {
            assertEquals(end, records(again));
        }
    }

    private static long records(LogStore store) {
        long[] count = {0};
        try (Tailer tailer = store.openTopic("t").openTailer()) {
            while (tailer.poll(
                            record -> {
                                count[0]++;
                                return Action.CONTINUE;
                            },
                            100)
                    > 0) {
                continue;
            }
        }
        return count[0];
    }

    @Test
    void shouldMakeAWholeStoreOrNoneWhereverARestoreIsCutOff() {
        begin();
        topic.cursor("c").commit(0, 7);
        store.backupTo(BACKUP);
        store.close();
        crashAtEach(this::checkRestored);
        at(medium, "restored").restore(BACKUP, RestoreOptions.all());
        medium.onOperation(number -> {});
        crash("after the end", medium.crash(Survival.NONE), this::checkRestored);
        assertEquals(List.of(), failures, crashes + " crashes");
        assertTrue(stores > 0 && stores < crashes, stores + " stores of " + crashes);
    }

    private void checkRestored(SimulatedFileMedium left) {
        SavedBackup.verify(left, BACKUP, MoveControl.UNLIMITED);
        boolean isThere = left.toString().contains("/sim/restored/store");
        if (!isThere) {
            boolean hasTopics = left.toString().contains("/sim/restored/topics/");
            if (hasTopics) {
                assertThrows(StoreOpenException.class, at(left, "restored")::open);
            }
            return;
        }
        try (LogStore restored = at(left, "restored").open()) {
            stores++;
            assertEquals(10, records(restored));
            assertEquals(7, restored.openTopic("t").cursor("c").offset(0));
        }
    }

    @Test
    void shouldNotTakeACopyThatReadsBackAsOtherBytes() {
        begin();
        BackupOptions copies = BackupOptions.defaults().withoutLinks();
        store.backupTo(BACKUP, copies);
        append(10);
        medium.onOperation(
                number -> {
                    String last = medium.history().get(number - 1);
                    if (last.startsWith("force ") && last.contains("/.0")) {
                        rot(last.substring(last.indexOf('/')).split(" ")[0]);
                    }
                });
        MediumException told =
                assertThrows(MediumException.class, () -> store.backupTo(BACKUP, copies));
        medium.onOperation(number -> {});
        assertTrue(told.getMessage().contains("reads back"), told.getMessage());
        assertEquals(
                10,
                SavedBackup.verify(medium, BACKUP, MoveControl.UNLIMITED)
                        .parts()
                        .get(0)
                        .endOffset());
        store.backupTo(BACKUP, copies);
        checkEnd(medium, 20);
        store.close();
    }

    private void rot(String file) {
        try {
            medium.rot(Path.of(file), 1_000, 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldKeepTheLastBackupWhenTheDiskIsFull() {
        begin();
        BackupOptions copies = BackupOptions.defaults().withoutLinks();
        store.backupTo(BACKUP, copies);
        append(10);
        medium.faults().limitBytes(0);
        StoreFullException told =
                assertThrows(StoreFullException.class, () -> store.backupTo(BACKUP, copies));
        assertTrue(told.getMessage().contains("make room"), told.getMessage());
        assertEquals(
                10,
                SavedBackup.verify(medium, BACKUP, MoveControl.UNLIMITED)
                        .parts()
                        .get(0)
                        .endOffset());
        medium.faults().none();
        store.backupTo(BACKUP, copies);
        checkEnd(medium, 20);
        store.close();
    }

    @Test
    void shouldSayThatThereIsNoWholeBackupUntilTheFirstOneIs() {
        begin();
        boolean[] isWhole = {false};
        crashAtEach(
                left -> {
                    try {
                        SavedBackup.verify(left, BACKUP, MoveControl.UNLIMITED);
                        isWhole[0] = true;
                    } catch (MediumException e) {
                        assertTrue(e.getMessage().contains("no complete backup"), e.getMessage());
                    }
                });
        store.backupTo(BACKUP);
        store.close();
        assertEquals(List.of(), failures);
        assertTrue(isWhole[0]);
    }
}
