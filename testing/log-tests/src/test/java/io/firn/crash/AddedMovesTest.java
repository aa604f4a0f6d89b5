package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.StoreFullException;
import io.firn.Topic;
import io.firn.Transaction.State;
import io.firn.file.FileTier;
import io.firn.host.HostedStore;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.CursorMove;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A client moves the cursors of a transaction one by one: the journal gets each move once. */
class AddedMovesTest {
    private static final Path SEGMENTS = Path.of("/sim/segments");
    private static final Duration DAY = Duration.ofDays(1);

    /** An entry that is longer than a thousandth of this is added to. */
    private static final int SMALL_JOURNAL = 64 * 1024;

    private final CachedEpochClock clock = new CachedEpochClock();
    private SimulatedFileMedium medium = new SimulatedFileMedium();
    private LogStore store;
    private TransactionCoordinator coordinator;
    private ProducerIdentity identity;
    private Topic topic;

    @BeforeAll
    static void silence() {
        Simulation.silenceLog();
    }

    private void open(SimulatedFileMedium on, int journalBytes) {
        medium = on;
        clock.update(1_700_000_000_000L);
        store =
                StoreBuilder.over(Path.of("/sim/store"), medium)
                        .journalSegmentBytes(journalBytes)
                        .tier(FileTier.at(SEGMENTS).withMedium(medium))
                        .clock(clock)
                        .invokerMode()
                        .open();
        coordinator = HostedStore.of(store).transactions();
    }

    private void begin(int journalBytes) {
        open(new SimulatedFileMedium(), journalBytes);
        topic = store.createTopic("t", Simulation.SMALL);
        try (var appender = topic.partition(0).openAppender()) {
            appender.append(new byte[1]);
            appender.append(new byte[1]);
        }
        identity = coordinator.open("p", DAY, null);
    }

    private void reopen(SimulatedFileMedium on) {
        open(on, SMALL_JOURNAL);
        topic = store.openTopic("t");
    }

    private void move(int cursor, long offset) {
        coordinator.commitCursors("p", identity, List.of(moveOf(cursor, offset)));
    }

    private CursorMove moveOf(int cursor, long offset) {
        String note = cursor % 2 == 0 ? "note" : null;
        return new CursorMove(topic, "cursor " + cursor, 0, offset, note);
    }

    private long offset(int cursor) {
        return topic.cursor("cursor " + cursor).offset(0);
    }

    /** Returns the names of the journal's files. */
    private List<String> journal() throws IOException {
        List<String> names = new ArrayList<>();
        for (String id : medium.list(SEGMENTS)) {
            if (!id.equals(topic.id().toString())
                    && id.length() == topic.id().toString().length()) {
                names.addAll(medium.list(SEGMENTS.resolve(id).resolve("0")));
            }
        }
        return names;
    }

    private record Image(SimulatedFileMedium left, int told, boolean isEnded) {}

    @Test
    void shouldKeepEachMoveThatTheClientWasToldOfWhereverThePowerIsCut() {
        int count = 8;
        begin(SMALL_JOURNAL);
        int[] told = {0};
        List<Image> images = new ArrayList<>();
        medium.onOperation(
                number -> {
                    images.add(new Image(medium.crash(Survival.NONE), told[0], false));
                    images.add(new Image(medium.crash(Survival.random(number)), told[0], false));
                });
        for (int i = 0; i < count; i++) {
            move(i, 1);
            told[0]++;
        }
        move(0, 2); // instead of its first move
        medium.ignoreOperations();
        images.add(new Image(medium.crash(Survival.NONE), count, true));
        assertTrue(images.size() > 2 * count, images.size() + " images");
        for (Image each : images) {
            check(each, count);
        }
    }

    private void check(Image image, int count) {
        reopen(image.left);
        if (coordinator.find("p").state() == State.ONGOING) {
            for (int i = 0; i < count; i++) {
                assertEquals(-1, offset(i));
            }
            move(count, 1);
            coordinator.end("p", identity, true, false);
            assertEquals(1, offset(count));
        } else {
            assertEquals(0, image.told);
        }
        for (int i = 0; i < count; i++) {
            String which = "move " + i + " of " + image.told;
            if (i < image.told) {
                long first = i == 0 && image.told == count ? Math.max(1, offset(0)) : 1;
                assertEquals(i == 0 && image.isEnded ? 2 : first, offset(i), which);
            } else if (i > image.told) {
                assertEquals(-1, offset(i), which);
            }
        }
    }

    @Test
    void shouldNotTakeMovesOfAnEarlierTransaction() {
        begin(SMALL_JOURNAL);
        move(0, 1);
        move(1, 1);
        coordinator.end("p", identity, false, false);
        move(2, 1);
        move(3, 1);
        reopen(medium.crash(Survival.NONE));
        coordinator.end("p", identity, true, false);
        assertEquals(
                List.of(-1L, -1L, 1L, 1L), List.of(offset(0), offset(1), offset(2), offset(3)));
    }

    @Test
    void shouldNotMakeAMoveForWhichThereWasNoRoom() throws IOException {
        begin(SMALL_JOURNAL);
        medium.faults().limitBytes(1); // what was reserved is still there
        int refused = 0;
        try {
            while (true) {
                move(refused, 1);
                refused++;
            }
        } catch (StoreFullException e) {
            assertTrue(refused > 5, refused + " moves");
        }
        medium.faults().none();
        for (int i = 0; i < 10; i++) {
            clock.advance(10_000);
            store.doWork();
        }
        move(refused + 1, 1);
        reopen(medium.crash(Survival.NONE));
        coordinator.end("p", identity, true, false);
        assertEquals(1, offset(refused - 1));
        assertEquals(-1, offset(refused));
        assertEquals(1, offset(refused + 1));
    }

    @Test
    void shouldKeepMovesWhenTheJournalIsTrimmed() throws IOException {
        begin(SMALL_JOURNAL);
        for (int i = 0; i < 5; i++) {
            move(i, 1);
        }
        ProducerIdentity other = coordinator.open("other", DAY, null);
        String note = "n".repeat(40_000);
        int batches = 120; // 4 MiB, one in each segment
        for (int i = 0; i < batches; i++) {
            coordinator.commitCursors(
                    "other", other, List.of(new CursorMove(topic, "other", 0, 0, note)));
        }
        for (int i = 0; i < 10; i++) {
            clock.advance(1_000);
            store.doWork();
        }
        long segments = journal().stream().filter(each -> each.endsWith(".log")).count();
        assertTrue(segments < batches / 2, journal().toString());
        move(5, 1);
        reopen(medium.crash(Survival.NONE));
        coordinator.end("p", identity, true, false);
        for (int i = 0; i < 6; i++) {
            assertEquals(1, offset(i), "move " + i);
        }
    }

    @Test
    void shouldTakeSpaceForEachMoveOnceOnly() throws IOException {
        begin(SMALL_JOURNAL);
        for (int i = 0; i < 300; i++) {
            move(i, 1);
        }
        // 300 entries would be 2 MiB.
        assertTrue(journal().size() <= 3, journal().toString());
    }
}
