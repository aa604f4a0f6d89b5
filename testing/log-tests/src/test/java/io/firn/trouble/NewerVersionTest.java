package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.StoreOpenException;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.host.HostedStore;
import io.firn.medium.MediumFile;
import io.firn.medium.SmallFile;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import io.firn.spi.MarkFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.zip.CRC32C;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A store that a newer Firn has written to is refused, and nothing of it is touched. */
class NewerVersionTest {
    private static final Path DIRECTORY = Path.of("/sim/store");
    private static final Path SEGMENTS = Path.of("/sim/segments");
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final int TOPICS = 3;
    private static final int MARK_LENGTH = 84;
    private static final int SEAL_LENGTH = 96;

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final CachedEpochClock clock = new CachedEpochClock();

    /** Killed, so that opening it would change a good deal. */
    @BeforeEach
    void makeStore() {
        LOG.setLevel(Level.OFF);
        clock.update(1_700_000_000_000L);
        LogStore store = open(medium);
        for (int i = 0; i < TOPICS; i++) {
            TopicOptions options = TopicOptions.defaults().withSegmentBytes(64 * 1024);
            Topic topic = store.createTopic("topic-" + i, options);
            try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                for (int j = 0; j < 5; j++) {
                    appender.append(appender.newBatch().producer(i, 0, j).add(new byte[25_000]));
                }
            }
            topic.partition(0).deleteRecordsBefore(1);
            topic.cursor("c").commit(0, 2);
            topic.cursor("c").force();
        }
        for (int i = 0; i <= 1_000; i++) {
            HostedStore.of(store).newProducerId(); // more than need no file
        }
        for (int i = 0; i < 5; i++) {
            clock.advance(1_000);
            store.doWork();
        }
    }

    private LogStore open(SimulatedFileMedium on) {
        return StoreBuilder.over(DIRECTORY, on)
                .tier(FileTier.at(SEGMENTS).withMedium(on))
                .clock(clock)
                .invokerMode()
                .open();
    }

    @Test
    void shouldRefuseANewerStoreFile() throws IOException {
        refuses("store"::equals, NewerVersionTest::raiseText);
    }

    @Test
    void shouldRefuseANewerTierFile() throws IOException {
        refuses("tier"::equals, NewerVersionTest::raiseText);
    }

    @Test
    void shouldRefuseANewerTopicFile() throws IOException {
        refuses("topic"::equals, NewerVersionTest::raiseText);
    }

    @Test
    void shouldRefuseANewerLogStart() throws IOException {
        refuses("start-0"::equals, NewerVersionTest::raiseText);
    }

    @Test
    void shouldRefuseANewerProducerCheckpoint() throws IOException {
        refuses("producers-0"::equals, NewerVersionTest::raiseText);
    }

    @Test
    void shouldRefuseNewerProducerCheckpointsOfTheLastClose() throws IOException {
        Path topics = DIRECTORY.resolve("topics");
        for (String topic : medium.list(topics)) {
            Path file = topics.resolve(topic).resolve("producers");
            SmallFile.write(medium, file, "producers", 1, Map.of("0.nextOffset", "1"));
        }
        refuses("producers"::equals, NewerVersionTest::raiseText);
    }

    @Test
    void shouldRefuseNewerCounters() throws IOException {
        refuses("epochs"::equals, NewerVersionTest::raiseText);
        refuses("producer-ids"::equals, NewerVersionTest::raiseText);
    }

    @Test
    void shouldRefuseANewerMarkOfASealedSegment() throws IOException {
        refuses(name -> name.endsWith(".mark"), NewerVersionTest::raiseSeal);
    }

    @Test
    void shouldRefuseANewerMarkOfAnUnsealedSegment() throws IOException {
        refuses(name -> name.endsWith(".active"), NewerVersionTest::raiseMarks);
    }

    /** Makes a file newer. */
    @FunctionalInterface
    private interface Raise {
        /** Does it. */
        void raise(MediumFile file) throws IOException;
    }

    /** Each such file alone: whichever comes last, what comes before it must not be touched. */
    private void refuses(Predicate<String> names, Raise raise) throws IOException {
        List<Path> files = files(medium, Path.of("/sim"));
        files.removeIf(file -> !names.test(file.getFileName().toString()));
        assertTrue(!files.isEmpty());
        Collections.sort(files);
        for (Path path : files) {
            SimulatedFileMedium left = medium.kill();
            try (MediumFile file = left.open(path, true)) {
                raise.raise(file);
            }
            String before = left.toString();
            StoreOpenException refusal =
                    assertThrows(
                            StoreOpenException.class, () -> open(left).close(), path::toString);
            assertTrue(refusal.getMessage().contains("version"), refusal.getMessage());
            assertEquals(before, left.toString(), path::toString);
            assertEquals(0, left.inUse(), path::toString);
        }
    }

    private static void raiseText(MediumFile file) throws IOException {
        byte[] bytes = new byte[(int) file.size()];
        file.read(0, bytes, 0, bytes.length);
        String text = new String(bytes, StandardCharsets.UTF_8);
        String covered = text.replaceFirst(" [1-9]\n", " 9\n");
        covered = covered.substring(0, covered.indexOf("crc32c="));
        CRC32C crc = new CRC32C();
        crc.update(covered.getBytes(StandardCharsets.UTF_8));
        byte[] newer =
                (covered + "crc32c=" + String.format("%08x", crc.getValue()) + "\n")
                        .getBytes(StandardCharsets.UTF_8);
        assertEquals(bytes.length, newer.length);
        file.write(0, newer, 0, newer.length);
    }

    private static void raiseSeal(MediumFile file) throws IOException {
        raiseMark(file, 0);
        byte[] bytes = new byte[SEAL_LENGTH];
        file.read(0, bytes, 0, SEAL_LENGTH);
        putCrc(bytes, SEAL_LENGTH - 4);
        file.write(0, bytes, 0, SEAL_LENGTH);
    }

    private static void raiseMarks(MediumFile file) throws IOException {
        raiseMark(file, file.size() - 2 * 4096);
        raiseMark(file, file.size() - 4096);
    }

    /** Where there is one. */
    private static void raiseMark(MediumFile file, long position) throws IOException {
        byte[] bytes = new byte[MARK_LENGTH];
        file.read(position, bytes, 0, MARK_LENGTH);
        if (bytes[0] != 0) {
            ByteBuffer.wrap(bytes).putInt(8, MarkFormat.VERSION + 1);
            putCrc(bytes, MARK_LENGTH - 4);
            file.write(position, bytes, 0, MARK_LENGTH);
        }
    }

    private static void putCrc(byte[] bytes, int at) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, at);
        ByteBuffer.wrap(bytes).putInt(at, (int) crc.getValue());
    }

    private static List<Path> files(SimulatedFileMedium medium, Path path) throws IOException {
        List<Path> files = new ArrayList<>();
        for (String name : medium.list(path)) {
            try {
                files.addAll(files(medium, path.resolve(name)));
            } catch (NotDirectoryException e) {
                files.add(path.resolve(name));
            }
        }
        return files;
    }
}
