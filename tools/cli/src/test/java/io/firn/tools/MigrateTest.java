package io.firn.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Segments that an operator moves. */
class MigrateTest {
    private static final int SEGMENT = 64 * 1024;

    @TempDir Path directory;
    private Path store;
    private List<Object> place;

    @BeforeEach
    void fill() {
        store = directory.resolve("store");
        Path fast = directory.resolve("fast");
        Path slow = directory.resolve("slow");
        place = List.of(store, "--tier=file:" + fast, "--tier=file:" + slow);
        try (LogStore log =
                LogStore.at(store).tier(FileTier.at(fast)).tier(FileTier.at(slow)).open()) {
            for (String topic : List.of("orders", "trades")) {
                TopicOptions options = TopicOptions.defaults().withSegmentBytes(SEGMENT);
                try (Appender appender =
                        log.createTopic(topic, options).partition(0).openExclusiveAppender()) {
                    for (int i = 0; i < 6; i++) {
                        appender.append(new byte[30_000]); // two fill a segment
                    }
                }
            }
        }
    }

    private Run migrate(List<Object> where, Object... more) {
        List<Object> words = new ArrayList<>(List.of("migrate"));
        words.addAll(where);
        words.addAll(List.of(more));
        return Run.firn(words.toArray());
    }

    /** What is still to be moved. */
    private String due(String... more) {
        Run run = migrate(place, (Object[]) more);
        assertEquals(Exit.FINE, run.exitCode(), run.toString());
        assertTrue(run.out().endsWith("Nothing was changed: --execute does it.\n"), run.out());
        return run.out();
    }

    @Test
    void shouldShowMovesAndMakeThemOnRequest() {
        String shown = due("--to=tier-1");
        assertEquals(4, shown.lines().filter(each -> each.contains("tier-0  tier-1")).count());

        Run ofOne = migrate(place, "--to=tier-1", "--topic=orders", "--execute");
        assertEquals(Exit.FINE, ofOne.exitCode(), ofOne.toString());
        assertEquals(
                """
                topic   partition  base     bytes  from    to
                orders          0     0  58.7 KiB  tier-0  tier-1
                orders          0     2  58.7 KiB  tier-0  tier-1
                """,
                ofOne.out());

        String left = due("--to=tier-1");
        assertTrue(left.contains("trades") && !left.contains("orders"), left);
        assertTrue(due("--to=tier-0").contains("tier-1  tier-0"));
    }

    @Test
    void shouldMoveAsAServerDoesThatHasAThreshold() {
        String none = due("--threshold=0.1");
        assertTrue(none.contains("no moves"), none);
        assertTrue(none.contains("tier-0 has no capacity"), none);

        List<Object> limited = new ArrayList<>(place);
        limited.set(1, place.get(1) + "@2000000");
        Run run = migrate(limited, "--threshold=0", "--execute", "--json");
        assertEquals(Exit.FINE, run.exitCode(), run.toString());
        assertEquals(4, run.out().split("\"to\":\"tier-1\"", -1).length - 1, run.out());
    }

    @Test
    void shouldSayWhatDoesNotExist() {
        Run noTier = migrate(place, "--to=ssd");
        assertEquals(Exit.MISUSED, noTier.exitCode(), noTier.toString());
        assertEquals(
                "--to: there is no tier 'ssd': the store has [tier-0, tier-1]\n", noTier.err());
        Run noTopic = migrate(place, "--to=tier-1", "--topic=ordres");
        assertEquals(Exit.MISUSED, noTopic.exitCode(), noTopic.toString());
        Run noShare = migrate(place, "--threshold=2");
        assertEquals(Exit.MISUSED, noShare.exitCode(), noShare.toString());
    }
}
