package io.firn.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers that are shown and moved, and the state of all, in a store and on a server. */
class GroupsAndStatTest {
    @TempDir Path directory;

    private static String fine(List<String> place, Object... arguments) {
        Run run = run(place, arguments);
        assertEquals(Exit.FINE, run.exitCode(), run.toString());
        return run.out();
    }

    private static Run run(List<String> place, Object... arguments) {
        List<Object> all = new ArrayList<>(List.of(arguments));
        all.addAll(place);
        return Run.firn(all.toArray());
    }

    private void fill(List<String> place) {
        fine(place, "topics", "create", "orders");
        Path lines = directory.resolve("lines");
        try {
            Files.writeString(lines, "1\n2\n3\n");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        fine(place, "append", "orders", lines);
    }

    @Test
    void shouldMoveAGroupOnlyWhenItIsToldTo() throws IOException {
        Served.both(
                directory,
                place -> {
                    fill(place);
                    String plan =
                            fine(
                                    place,
                                    "groups",
                                    "reset",
                                    "billing",
                                    "--topic=orders",
                                    "--to=latest");
                    assertEquals(
                            """
                            topic   partition  offset  to
                            orders          0       -   3

                            Nothing was changed: --execute does it.
                            """,
                            plan);
                    assertEquals(
                            Exit.MISUSED,
                            run(place, "groups", "describe", "billing").exitCode(),
                            "there is none yet");

                    fine(
                            place,
                            "groups",
                            "reset",
                            "billing",
                            "--topic=orders",
                            "--to=latest",
                            "--execute");
                    fine(place, "groups", "reset", "billing", "--shift=-2", "--execute");

                    String lag = fine(place, "groups", "describe", "billing", "--json");
                    assertTrue(
                            lag.matches(
                                    "\\{\"partitions\":\\[\\{\"topic\":\"orders\",\"partition\":0,"
                                            + "\"offset\":1,\"end\":3,\"lagRecords\":2,"
                                            + "\"lagTime\":[0-9]+,\"member\":null\\}\\]\\}\\R"),
                            lag);
                    String all = fine(place, "groups", "list", "--json");
                    assertTrue(all.contains("\"group\":\"billing\""), all);
                    assertTrue(all.contains("\"partitions\":1,\"lagRecords\":2"), all);
                    String beyond = fine(place, "groups", "reset", "billing", "--to=100", "--json");
                    assertTrue(beyond.contains("\"offset\":1,\"to\":3"), beyond);
                });
    }

    @Test
    void shouldShowTheStateOfAll() throws IOException {
        Served.both(
                directory,
                place -> {
                    fill(place);
                    fine(
                            place,
                            "groups",
                            "reset",
                            "billing",
                            "--topic=orders",
                            "--to=1",
                            "--execute");
                    String stat = fine(place, "stat", "--json");
                    assertTrue(
                            stat.contains(
                                    "{\"topic\":\"orders\",\"partition\":0,\"start\":0,"
                                            + "\"durable\":3,\"next\":3,"),
                            stat);
                    assertTrue(
                            stat.contains(
                                    "{\"group\":\"billing\",\"topic\":\"orders\",\"partition\":0,"
                                            + "\"offset\":1,\"lagRecords\":2,"),
                            stat);
                });
    }

    @Test
    void shouldShowWhatSparseSegmentsReallyTakeBesideTheWriter() {
        FileTier tier = FileTier.at(directory.resolve("segments"));
        try (LogStore store = LogStore.at(directory).tier(tier).open()) {
            Topic topic = store.createTopic("orders", TopicOptions.defaults());
            try (Appender appender = topic.partition(0).openAppender()) {
                appender.append(new byte[100]);
                Run run = Run.firn("stat", "--store", directory, "--segments", "--json");
                assertEquals(Exit.FINE, run.exitCode(), run.toString());
                String segments =
                        run.out().replaceAll(".*segments\",\"apparent\":([0-9]+),.*\\R", "$1");
                assertTrue(Long.parseLong(segments) >= 64 << 20, run.out());
                long real =
                        Long.parseLong(
                                run.out()
                                        .replaceAll(
                                                ".*segments\",\"apparent\":[0-9]+,\"real\":([0-9]+)"
                                                        + ".*\\R",
                                                "$1"));
                assertTrue(real < 16 << 20, run.out());
                assertTrue(run.out().contains("\"base\":0,\"end\":1"), run.out());
            }
        }
    }
}
