package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.CleanupPolicy;
import io.firn.Compression;
import io.firn.Durability;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.RetainUntilRead;
import io.firn.Survives;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A table of every option by what may have become of it since the last start. */
class EnsureTopicTest {
    private static final TopicOptions UNSET = TopicOptions.defaults();

    @TempDir private Path directory;
    private LogStore store;

    /** An option, set to a value that is not the default, and set to another one. */
    private record Row(
            String option,
            boolean canChange,
            UnaryOperator<TopicOptions> first,
            UnaryOperator<TopicOptions> second) {

        TopicOptions one() {
            return first.apply(UNSET);
        }

        TopicOptions other() {
            return second.apply(UNSET);
        }

        String value(TopicOptions options) {
            return options.toMap().get(option);
        }

        @Override
        public String toString() {
            return option;
        }
    }

    private static Row changes(
            String option, UnaryOperator<TopicOptions> first, UnaryOperator<TopicOptions> second) {
        return new Row(option, true, first, second);
    }

    private static Row stays(
            String option, UnaryOperator<TopicOptions> first, UnaryOperator<TopicOptions> second) {
        return new Row(option, false, first, second);
    }

    private static Stream<Row> all() {
        return Stream.of(
                changes("partitions", o -> o.withPartitions(2), o -> o.withPartitions(3)),
                stays(
                        "durability",
                        o -> o.withDurability(Durability.WRITTEN),
                        o -> o.withDurability(Durability.DURABLE)),
                stays(
                        "segmentBytes",
                        o -> o.withSegmentBytes(1 << 20),
                        o -> o.withSegmentBytes(1 << 21)),
                changes(
                        "rollAge",
                        o -> o.withRollAge(Duration.ofMillis(4_000)),
                        o -> o.withoutRollAge()),
                changes(
                        "retentionBytes",
                        o -> o.withRetentionBytes(5),
                        o -> o.withoutRetentionBytes()),
                changes(
                        "retentionAge",
                        o -> o.withRetentionAge(Duration.ofMillis(6)),
                        o -> o.withRetentionAge(Duration.ofMillis(7))),
                stays("maxRecordBytes", o -> o.withMaxRecordBytes(8), o -> o.withMaxRecordBytes(9)),
                changes(
                        "compression",
                        o -> o.withCompression(Compression.GZIP),
                        o -> o.withCompression(Compression.NONE)),
                changes("forceBytes", o -> force(o, 10, 100), o -> force(o, 11, 100)),
                changes("forceInterval", o -> force(o, 1 << 20, 12), o -> force(o, 1 << 20, 13)),
                stays(
                        "minimumClass",
                        o -> o.withMinimumClass(Survives.PROCESS_CRASH),
                        o -> o.withMinimumClass(Survives.POWER_LOSS)),
                stays("tiers", o -> o.withTiers("cold"), o -> o.withTiers("hot")),
                changes(
                        "retainUntilRead",
                        o -> o.withRetainUntilRead(RetainUntilRead.byAll()),
                        o -> o.withRetainUntilRead(RetainUntilRead.by("c"))),
                changes("preparedBytes", o -> o.withPreparedBytes(14), o -> o.withPreparedBytes(0)),
                changes(
                        "cleanup",
                        o -> o.withCleanup(CleanupPolicy.COMPACT),
                        o -> o.withCleanup(CleanupPolicy.DELETE)),
                changes(
                        "minCompactionLag",
                        o -> o.withMinCompactionLag(Duration.ofMillis(15)),
                        o -> o.withMinCompactionLag(Duration.ofMillis(0))),
                changes(
                        "maxCompactionLag",
                        o -> o.withMaxCompactionLag(Duration.ofMillis(16)),
                        o -> o.withoutMaxCompactionLag()),
                changes(
                        "minDirtyRatio",
                        o -> o.withMinDirtyRatio(0.17),
                        o -> o.withMinDirtyRatio(0.5)),
                changes(
                        "tombstoneRetention",
                        o -> o.withTombstoneRetention(Duration.ofMillis(18)),
                        o -> o.withTombstoneRetention(Duration.ofMillis(19))),
                stays("replicated", o -> o.withReplicated(true), o -> o.withReplicated(false)));
    }

    private static TopicOptions force(TopicOptions options, int bytes, int ms) {
        return options.withForce(bytes, Duration.ofMillis(ms));
    }

    private LogStoreBuilder at() {
        ObservedMedium medium = new ObservedMedium();
        return StoreBuilder.over(directory.resolve("store"), medium)
                .tier("hot", tier("hot", medium))
                .tier("cold", tier("cold", medium));
    }

    private FileTier tier(String name, ObservedMedium medium) {
        return FileTier.at(directory.resolve(name)).withMedium(medium).withDeclaredDurable();
    }

    @BeforeEach
    void open() {
        store = at().open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** As at a start: the topic is as its file says. */
    private Topic reopen() {
        store.close();
        open();
        return store.openTopic("t");
    }

    private List<TopicOptions.Change> ensure(TopicOptions options) {
        List<TopicOptions.Change> changes = new ArrayList<>();
        assertEquals("t", store.ensureTopic("t", options, changes::add).name());
        return changes;
    }

    private static void checkChange(
            String option, String before, String after, List<TopicOptions.Change> changes) {
        assertEquals(1, changes.size(), changes.toString());
        assertEquals(option, changes.get(0).option());
        assertEquals(before, changes.get(0).before());
        assertEquals(after, changes.get(0).after());
    }

    private Path topicFile() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(each -> each.endsWith("topic")).findFirst().orElseThrow();
        }
    }

    private Object identity() throws IOException {
        return Files.getAttribute(topicFile(), "unix:ino")
                + " "
                + Files.getLastModifiedTime(topicFile());
    }

    @Test
    void shouldHaveARowForEachOption() {
        Set<String> options = all().map(Row::option).collect(Collectors.toSet());
        assertEquals(UNSET.toMap().keySet(), options);
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldWriteNothingWhenTheTopicHasWhatIsSet(Row row) throws IOException {
        assertEquals(List.of(), ensure(row.one()), "it was created");
        Object before = identity();
        TopicOptions has = reopen().options();
        assertEquals(row.value(row.one()), row.value(has));
        assertEquals(List.of(), ensure(row.one()));
        assertEquals(before, identity());
        assertEquals(has, store.openTopic("t").options());
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldChangeWhatCanBeChangedAndRefuseTheRestWithBothValues(Row row) {
        ensure(row.one());
        TopicOptions has = reopen().options();
        String before = row.value(row.one());
        String after = row.value(row.other());
        if (row.canChange()) {
            checkChange(row.option(), before, after, ensure(row.other()));
            assertEquals(row.second().apply(has), reopen().options());
            return;
        }
        InvalidOptionException e =
                assertThrows(
                        InvalidOptionException.class,
                        () ->
                                ensure(
                                        row.other()
                                                .withRetentionAge(Duration.ofMillis(99))
                                                .withPartitions(9)));
        String difference = row.option() + " from " + before + " to " + after;
        assertTrue(e.getMessage().contains("cannot be changed: " + difference + ";"), e::toString);
        assertEquals(has, store.openTopic("t").options(), "nothing is changed");
        assertEquals(has, reopen().options());
    }

    /**
     * As a client or a colleague changes it, while the application is down or between two calls.
     */
    @ParameterizedTest
    @MethodSource("all")
    void shouldChangeBackWhatIsSetAndLeaveTheRestWhenOthersHaveChangedIt(Row row) {
        ensure(row.one());
        Topic topic = store.openTopic("t");
        if (row.option().equals("partitions")) {
            topic.addPartitions(3);
        } else if (row.canChange()) {
            topic.changeOptions(row.other());
        } else {
            assertThrows(InvalidOptionException.class, () -> topic.changeOptions(row.other()));
            return;
        }
        TopicOptions changed = reopen().options();
        assertEquals(row.value(row.other()), row.value(changed));
        assertEquals(List.of(), ensure(UNSET), "it is not set");
        assertEquals(changed, store.openTopic("t").options());
        String now = row.value(row.other());
        String set = row.value(row.one());
        if (row.option().equals("partitions")) {
            assertEquals(List.of(), ensure(row.one()), "a topic does not shrink");
            assertEquals(3, store.openTopic("t").partitionCount());
        } else {
            checkChange(row.option(), now, set, ensure(row.one()));
            assertEquals(set, row.value(reopen().options()));
        }
    }

    /** A topic that was created when the default was another one. */
    @ParameterizedTest
    @MethodSource("all")
    void shouldLeaveWhatIsNotSetWhenTheDefaultIsAnotherOneNow(Row row) {
        TopicOptions has = store.createTopic("t", row.one()).options();
        reopen();
        assertEquals(List.of(), ensure(UNSET));
        assertEquals(List.of(), ensure(UNSET.withMinimumClass(null)));
        assertEquals(has, store.openTopic("t").options());
    }

    /** What a topic returns is what somebody wants a topic to be like, with all of it. */
    @ParameterizedTest
    @MethodSource("all")
    void shouldTakeAllOptionsOfATopicAsSet(Row row) {
        Topic like = store.createTopic("like", UNSET);
        TopicOptions fresh = like.options();
        store.createTopic("t", row.one());
        TopicOptions read = reopen().options();
        assertTrue(!fresh.equals(read), "the rows differ from the defaults");
        if (row.option().equals("partitions")) {
            assertEquals(List.of(), ensure(fresh));
        } else if (row.canChange()) {
            ensure(fresh);
            assertEquals(fresh, store.openTopic("t").options());
        } else {
            assertThrows(InvalidOptionException.class, () -> ensure(fresh));
        }
    }

    @Test
    void shouldNameTheTopicsValueWhereOneThatIsSetDoesNotFitIt() {
        store.createTopic("t", UNSET.withMaxCompactionLag(Duration.ofMillis(10)));
        InvalidOptionException e =
                assertThrows(
                        InvalidOptionException.class,
                        () -> ensure(UNSET.withMinCompactionLag(Duration.ofMillis(20))));
        assertTrue(e.getMessage().startsWith("topic t: "), e.getMessage());
        assertTrue(
                e.getMessage().contains("maxCompactionLag (PT0.01S), not PT0.02S"), e.getMessage());
    }

    @Test
    void shouldTakeNamesInAnotherOrderForTheSame() {
        RetainUntilRead readers = RetainUntilRead.by("r", "s");
        store.createTopic("t", UNSET.withTiers("hot", "cold").withRetainUntilRead(readers));
        RetainUntilRead same = RetainUntilRead.by("s", "r");
        assertEquals(List.of(), ensure(UNSET.withTiers("cold", "hot").withRetainUntilRead(same)));
        reopen();
        assertEquals(List.of(), ensure(UNSET.withTiers("cold", "hot").withRetainUntilRead(same)));
    }

    @Test
    void shouldNotRequestALargestRecordThatOnlyFollowsFromTheSegment() {
        store.createTopic("t", UNSET.withMaxRecordBytes(1 << 20));
        InvalidOptionException e =
                assertThrows(
                        InvalidOptionException.class,
                        () -> ensure(UNSET.withSegmentBytes(1 << 16)));
        assertTrue(e.getMessage().contains("segmentBytes from 67108864"), e.getMessage());
        assertTrue(!e.getMessage().contains("maxRecordBytes"), e.getMessage());
        TopicOptions chosen = UNSET.withMaxRecordBytes(1 << 20).withSegmentBytes(1 << 16);
        assertThrows(InvalidOptionException.class, () -> store.createTopic("u", chosen));
        assertEquals(List.of("t"), store.topicNames(), "nothing was created");
    }

    @Test
    void shouldChangeSeveralOptionsAtOnceAndTellThemInOrder() {
        store.createTopic("t", UNSET);
        assertEquals(
                "[partitions from 1 to 4, retentionAge from unlimited to PT0.005S, cleanup from DELETE to COMPACT]",
                ensure(
                                UNSET.withCleanup(CleanupPolicy.COMPACT)
                                        .withRetentionAge(Duration.ofMillis(5))
                                        .withPartitions(4))
                        .toString());
        Topic topic = reopen();
        assertEquals(4, topic.partitionCount());
        topic.partition(3).openExclusiveAppender().close();
    }

    @Test
    void shouldCreateATopicThatAnotherThreadDeletesMeanwhile() throws Exception {
        Topic deleted = store.createTopic("t", UNSET);
        int rounds = 200;
        Stores.Task<Void> deleting =
                Stores.start(
                        () -> {
                            for (int i = 0; i < rounds; i++) {
                                if (store.hasTopic("t")) {
                                    store.deleteTopic("t");
                                }
                            }
                            return null;
                        });
        for (int i = 1; i <= rounds; i++) {
            assertEquals(
                    Optional.of(Duration.ofMillis(i)),
                    store.ensureTopic("t", UNSET.withRetentionAge(Duration.ofMillis(i)))
                            .options()
                            .retentionAge());
        }
        deleting.result();
        Topic last = store.ensureTopic("t", UNSET.withRetentionAge(Duration.ofMillis(1)));
        assertSame(last, store.openTopic("t"));
        assertTrue(!last.id().equals(deleted.id()));
    }

    @Test
    void shouldCreateOneTopicWhenTwoThreadsEnsureIt() throws Exception {
        for (int round = 0; round < 50; round++) {
            String name = "t" + round;
            Stores.Task<Topic> other =
                    Stores.start(() -> store.ensureTopic(name, UNSET.withRetentionBytes(5)));
            Topic mine = store.ensureTopic(name, UNSET.withRetentionAge(Duration.ofMillis(6)));
            assertSame(mine, other.result());
            assertEquals(OptionalLong.of(5), mine.options().retentionBytes());
            assertEquals(Optional.of(Duration.ofMillis(6)), mine.options().retentionAge());
        }
    }
}
