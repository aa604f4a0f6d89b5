package io.firn.crash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.sim.FirstRunOnly;
import io.firn.sim.SimulatedFileMedium;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Which files and directories an action forces. Each of them is new, or has a new name in it, and
 * what the action promises would not survive a power cut without it; the crash tests show that none
 * is missing.
 */
@FirstRunOnly
class ForcesTest {
    private static final Pattern FORCE = Pattern.compile("force (?:directory |\\[.*\\) of )?(/.*)");
    private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private SimulatedFileMedium medium = new SimulatedFileMedium();
    private Simulation simulation = new Simulation(medium);
    private int seen;

    @BeforeAll
    static void silence() {
        Simulation.silenceLog();
    }

    /** What was forced since the last call, without the space for deletions. */
    private List<String> forced() {
        List<String> found = new ArrayList<>();
        List<String> all = medium.history();
        for (String line : all.subList(seen, all.size())) {
            var force = FORCE.matcher(line);
            if (force.matches() && !force.group(1).endsWith("/spare")) {
                found.add(ID.matcher(force.group(1)).replaceAll("ID"));
            }
        }
        seen = all.size();
        return found;
    }

    private static void append(Topic topic) {
        try (Appender appender = topic.partition(0).openAppender()) {
            appender.append("a".getBytes(UTF_8));
        }
    }

    @Test
    void shouldForceEachNewFileAndDirectoryOnceUntilTheFirstRecordIsDurable() {
        try (LogStore store = simulation.open()) {
            assertEquals(
                    List.of(
                            "/",
                            "/sim",
                            "/sim/store/.store.tmp",
                            "/sim/store",
                            "/",
                            "/sim",
                            "/sim/segments/.tier.tmp",
                            "/sim/segments",
                            "/sim/store/.store.tmp", // names the tier, which names the store
                            "/sim/store"),
                    forced());
            Topic topic = store.createTopic("t", Simulation.SMALL);
            assertEquals(
                    List.of(
                            "/sim/store/topics",
                            "/sim/store/topics/ID/.topic.tmp",
                            "/sim/store/topics/ID"),
                    forced());
            store.doWork(); // in the background
            assertEquals(List.of("/sim/store/.epochs.tmp", "/sim/store"), forced());
            append(topic);
            String partition = "/sim/segments/ID/0";
            assertEquals(
                    List.of(
                            "/sim/segments",
                            "/sim/segments/ID",
                            partition + "/.0000000000000000.active.tmp",
                            partition,
                            partition + "/.0000000000000000.active"),
                    forced());
        }
    }

    @Test
    void shouldForceNothingWhenAStoreIsOpenedThatWasClosed() {
        try (LogStore store = simulation.open()) {
            Topic topic = store.createTopic("t", Simulation.SMALL.withPartitions(3));
            append(topic);
            simulation.pass(store, 1_000);
        }
        forced();
        String partition = "/sim/segments/ID/0";
        String active = partition + "/.0000000000000000.active";
        try (LogStore store = simulation.open()) {
            assertEquals(List.of(), forced());
            assertEquals(1, store.openTopic("t").partition(0).nextOffset());
        }
        assertEquals(List.of(), forced());
        try (LogStore store = simulation.open()) {
            assertEquals(List.of(), forced());
            append(store.openTopic("t"));
            assertEquals(List.of("/sim/store", active), forced());
        }
        assertEquals(2, Collections.frequency(forced(), active)); // the mark
    }

    @Test
    void shouldForceTheNextFileAndTheMarkFileAndTheirNamesAtARoll() {
        try (LogStore store = simulation.open()) {
            Topic topic = store.createTopic("t", Simulation.SMALL);
            append(topic);
            store.doWork();
            int before = medium.operations();
            try (Appender appender = topic.partition(0).openAppender()) {
                for (int length :
                        new int[] {30_000, 30_000, 7_000}) { // not so much as to reserve more
                    appender.append(new byte[length]);
                    simulation.pass(store, 1_000);
                }
            }
            List<String> calls = medium.history().subList(before, medium.operations());
            assertEquals(1, topic.partition(0).metrics().rolls());
            assertEquals(
                    List.of(
                            ".0000000000000001.active.tmp",
                            "0", // the name of that file
                            "00000000000000000000.mark",
                            "0"), // the names of this one, and of the segment
                    calls.stream()
                            .filter(each -> each.startsWith("force ") && !each.contains("["))
                            .filter(each -> each.contains("/sim/segments/"))
                            .map(each -> each.substring(each.lastIndexOf('/') + 1))
                            .toList());
            assertEquals(
                    2,
                    calls.stream()
                            .filter(
                                    each ->
                                            each.startsWith("rename ")
                                                    && each.contains("/sim/segments/"))
                            .count());
        }
    }

    @Test
    void shouldForceWhatItFindsAfterAKill() {
        SimulatedFileMedium killed;
        try (LogStore store = simulation.open()) {
            store.createTopic("t", Simulation.SMALL);
        }
        try (LogStore store = simulation.open()) {
            append(store.openTopic("t"));
            killed = medium.kill();
        }
        medium = killed;
        simulation = new Simulation(medium);
        seen = 0;
        try (LogStore store = simulation.open()) {
            List<String> forced = forced();
            assertTrue(
                    forced.containsAll(
                            List.of(
                                    "/sim",
                                    "/sim/store",
                                    "/sim/store/topics/ID",
                                    "/sim/segments",
                                    "/sim/segments/ID/0")),
                    forced.toString());
            assertEquals(1, store.openTopic("t").partition(0).nextOffset());
        }
    }
}
