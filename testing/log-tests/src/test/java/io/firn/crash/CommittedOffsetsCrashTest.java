package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Cursor;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.host.HostedCursor;
import io.firn.host.HostedStore;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator.CursorMove;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a power cut leaves of offsets that were committed inside and outside the log. */
class CommittedOffsetsCrashTest {
    private static final Duration DAY = Duration.ofDays(1);

    /**
     * An image of the medium, and the commits that may be found in it: the last that returned on.
     */
    private record Image(SimulatedFileMedium medium, int returned, int begun) {}

    @BeforeAll
    static void silence() {
        Simulation.silenceLog();
    }

    @Test
    void shouldFindTheLastForcedCommitOrALaterOneWhateverOfThemIsOutside() {
        List<Long> commits = List.of(2L, 1_000L, 3L, -2L, -1L, 4L, 5L, Long.MAX_VALUE, 1L, 9L, 9L);
        SimulatedFileMedium medium = new SimulatedFileMedium();
        Simulation simulation = new Simulation(medium);
        List<Image> left = new ArrayList<>();
        try (LogStore store = simulation.open()) {
            Topic topic = store.createTopic("t", Simulation.SMALL_WRITTEN);
            try (Appender appender = topic.partition(0).openAppender()) {
                for (int i = 0; i < 8; i++) {
                    appender.append(new byte[100]);
                }
            }
            Cursor cursor = topic.cursor("group");
            int[] state = {-1, -1};
            medium.onOperation(
                    number -> {
                        for (Survival each : List.of(Survival.NONE, Survival.ALL)) {
                            left.add(new Image(medium.crash(each), state[0], state[1]));
                        }
                    });
            for (int i = 0; i < commits.size(); i++) {
                state[1] = i;
                HostedCursor.of(cursor).commitAny(0, commits.get(i));
                cursor.force();
                state[0] = i;
            }
            medium.onOperation(number -> {});
        }
        assertTrue(left.size() > 2 * commits.size());
        for (Image image : left) {
            try (LogStore again = new Simulation(image.medium).open()) {
                OptionalLong found =
                        HostedCursor.of(again.openTopic("t").cursor("group")).committed(0);
                List<OptionalLong> allowed = new ArrayList<>();
                for (int i = image.returned; i <= image.begun; i++) {
                    allowed.add(i < 0 ? OptionalLong.empty() : OptionalLong.of(commits.get(i)));
                }
                assertTrue(allowed.contains(found), found + " is none of " + allowed);
            }
        }
    }

    /** What was asked for inside the log and lost is read again; what was outside is as it was. */
    @Test
    void shouldNotTakeAnOffsetForOneOutsideWhoseRecordsWereLost() {
        Simulation simulation = new Simulation(new SimulatedFileMedium());
        LogStore store = simulation.open();
        Topic topic = store.createTopic("t", Simulation.SMALL_WRITTEN.withPartitions(2));
        try (Appender appender = topic.partition(0).openAppender()) {
            for (int i = 0; i < 5; i++) {
                appender.append(new byte[1]);
            }
        }
        ProducerIdentity id = HostedStore.of(store).transactions().open("p", DAY, null);
        HostedStore.of(store)
                .transactions()
                .commitCursors(
                        "p",
                        id,
                        List.of(
                                new CursorMove(topic, "group", 0, 5),
                                new CursorMove(topic, "group", 1, 5)));
        store = new Simulation(simulation.medium.crash(Survival.NONE)).open();
        topic = store.openTopic("t");
        long end = topic.partition(0).nextOffset();
        assertTrue(end < 5);
        HostedStore.of(store).transactions().end("p", id, true, false);
        assertEquals(OptionalLong.of(end), HostedCursor.of(topic.cursor("group")).committed(0));
        assertEquals(OptionalLong.of(5), HostedCursor.of(topic.cursor("group")).committed(1));
        assertEquals(-1, topic.cursor("group").offset(1));
    }
}
