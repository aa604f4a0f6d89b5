package io.firn.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.StoreOpenException;
import io.firn.TopicOptions;
import io.firn.pmem.PoolDamage;
import io.firn.pmem.SmallPools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the program does with its arguments, and its exit code. */
class RepairTest {
    private static final int BLOCKS = 4;
    private static final Pattern FIRST = Pattern.compile("offsets \\[0, 1\\).* block (\\d+)");

    @TempDir Path directory;
    private Path store;
    private Path pool;
    private int block;

    private static Run repair(Object... arguments) {
        return Run.of(new RepairCommand(), arguments);
    }

    private LogStore open() {
        return LogStore.at(store).tier(SmallPools.withBlocks(BLOCKS, pool)).open();
    }

    @BeforeEach
    void createWithARecordAndDestroyItsEntry() throws IOException {
        store = directory.resolve("store");
        pool = directory.resolve("pool");
        TopicOptions options = TopicOptions.defaults().withSegmentBytes(64 * 1024);
        try (LogStore log = open();
                Appender appender =
                        log.createTopic("t", options).partition(0).openExclusiveAppender()) {
            appender.append(new byte[100]);
        }
        Matcher found = FIRST.matcher(Run.of(new VerifyCommand(), directory, "--deep").out());
        assertTrue(found.find());
        block = Integer.parseInt(found.group(1));
        PoolDamage.destroyEntry(pool, block);
        assertThrows(StoreOpenException.class, this::open);
    }

    @Test
    void shouldGiveABlockBackToItsLog() throws IOException {
        Path topic;
        try (Stream<Path> all = Files.list(store.resolve("topics"))) {
            topic = all.findFirst().orElseThrow().getFileName();
        }

        Run run = repair("restore", pool, block, topic, 0);

        assertEquals(0, run.exitCode(), run.toString());
        assertEquals(
                String.format("block %d with offsets [0, 1) is back in its log%n", block),
                run.out());
        try (LogStore log = open()) {
            assertEquals(1, log.openTopic("t").partition(0).nextOffset());
        }
    }

    @Test
    void shouldFreeABlockAndSaveItsBatches() throws IOException {
        Path saved = directory.resolve("saved.log");

        Run run = repair("free", pool, block, saved);

        assertEquals(0, run.exitCode(), run.toString());
        assertEquals(String.format("block %d with offsets [0, 1) is free%n", block), run.out());
        assertTrue(Files.size(saved) > 100);
        try (LogStore log = open()) {
            assertEquals(0, log.openTopic("t").partition(0).nextOffset());
        }
    }

    @Test
    void shouldEndWith3AndTheReasonWhenItCannotBeDone() {
        Run noPool = repair("free", store, block, directory.resolve("saved.log"));
        assertEquals(3, noPool.exitCode(), noPool.toString());
        assertEquals(String.format("there is no pool in %s%n", store), noPool.err());

        Run noBlock = repair("free", pool, BLOCKS, directory.resolve("saved.log"));
        assertEquals(3, noBlock.exitCode(), noBlock.toString());
        assertTrue(noBlock.err().contains("has blocks 0 to "), noBlock.err());
    }

    @Test
    void shouldEndWith2WhenArgumentsAreWrong() {
        Path saved = directory.resolve("saved.log");
        for (Run run :
                new Run[] {
                    repair(),
                    repair("mend"),
                    repair("free", pool, block),
                    repair("free", pool, "first", saved),
                    repair("restore", pool, block, "t", 0)
                }) {
            assertEquals(2, run.exitCode(), run.toString());
            assertTrue(run.err().contains("Usage: repair"), run.err());
            assertEquals("", run.out());
        }
    }

    @Test
    void shouldExplainItself() {
        Run run = repair("--help");

        assertEquals(0, run.exitCode(), run.toString());
        assertTrue(run.out().contains("restore") && run.out().contains("free"), run.out());
    }
}
