package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Finding;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.MediumException;
import io.firn.PartitionReader.DamagedRange;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import io.firn.open.StoreBuilder;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sealed segments are verified in the background. */
class ScrubTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int FLIPPED = 1000;
    private static final int LENGTH = 8;
    private static final int EPOCH = 12;
    private static final int EPOCH_END = 16;

    @TempDir Path directory;

    private void fill(LogStore store, int records) {
        TopicOptions options = Stores.small().withPartitions(2);
        store.createTopic("t", options);
        for (int partition = 0; partition < 2; partition++) {
            try (Appender appender = store.openTopic("t").partition(partition).openAppender()) {
                for (int i = 0; i < records; i++) {
                    appender.append(Stores.numbered(i, 1000));
                }
            }
        }
    }

    private List<Path> sealed() {
        return Stores.filesIn(Stores.tierOf(directory)).stream()
                .filter(each -> each.toString().endsWith(".log"))
                .sorted()
                .toList();
    }

    private static List<DamagedRange> damage(LogStore store) {
        List<DamagedRange> all = new ArrayList<>(store.openTopic("t").partition(0).damage());
        all.addAll(store.openTopic("t").partition(1).damage());
        return all;
    }

    /** A batch in a file. */
    private record Batch(Path file, int position, int size, int partition, long offset) {}

    private List<Batch> batches() throws IOException {
        List<Batch> all = new ArrayList<>();
        for (Path file : sealed()) {
            int partition = Integer.parseInt(file.getParent().getFileName().toString());
            ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
            for (int at = 0; at < bytes.capacity(); ) {
                int size = EPOCH + bytes.getInt(at + LENGTH);
                all.add(new Batch(file, at, size, partition, bytes.getLong(at)));
                at += size;
            }
        }
        return all;
    }

    /** A bit of the epoch is left out: no reader of a sealed segment looks at it. */
    private static void flip(Batch batch, Random random) throws IOException {
        int at = random.nextInt(batch.size() - (EPOCH_END - EPOCH));
        int position = batch.position() + (at < EPOCH ? at : at + EPOCH_END - EPOCH);
        try (RandomAccessFile file = new RandomAccessFile(batch.file().toFile(), "rw")) {
            file.seek(position);
            int bits = file.read() ^ 1 << random.nextInt(8);
            file.seek(position);
            file.write(bits);
        }
    }

    @Test
    void shouldFindEachFlippedBitBeforeAReaderDoes() throws Exception {
        try (LogStore store = Stores.at(directory).open()) {
            fill(store, 1500);
        }
        List<Batch> flipped = new ArrayList<>(batches());
        Random random = new Random(46);
        Collections.shuffle(flipped, random);
        flipped = flipped.subList(0, FLIPPED);
        for (Batch each : flipped) {
            flip(each, random);
        }
        List<Finding> begun = Collections.synchronizedList(new ArrayList<>());
        Finding.Listener listener =
                new Finding.Listener() {
                    @Override
                    public void onBegin(Finding finding) {
                        begun.add(finding);
                    }

                    @Override
                    public void onEnd(Finding finding) {
                        // A longer range takes the place of others.
                    }
                };
        try (LogStore store =
                Stores.at(directory).scrubPeriod(SECOND).findingListener(listener).open()) {
            Stores.await("the end of a pass", () -> store.metrics().lastScrub().isPresent());
            for (Batch each : flipped) {
                assertTrue(
                        store.openTopic("t").partition(each.partition()).damage().stream()
                                .anyMatch(
                                        range ->
                                                range.fromOffset() <= each.offset()
                                                        && each.offset() < range.toOffset()),
                        each::toString);
            }
            assertTrue(store.findings().size() >= damage(store).size());
            Stores.await("the listener", () -> begun.containsAll(store.findings()));
        }
    }

    @Test
    void shouldFindNothingWhereNothingIsWrong() {
        try (LogStore store = Stores.at(directory).open()) {
            fill(store, 300);
        }
        try (LogStore store = Stores.at(directory).scrubPeriod(SECOND).open()) {
            Stores.await("a pass", () -> store.metrics().lastScrub().isPresent());
            assertTrue(store.metrics().scrubbedBytes() > 500_000);
            assertEquals(List.of(), damage(store));
            assertEquals(List.of(), store.findings());
        }
    }

    @Test
    void shouldKeepItsPlaceOverARestart() {
        AtomicLong clock = new AtomicLong(Duration.ofDays(20_000).toMillis());
        Duration period = Duration.ofDays(7);
        long first;
        long total;
        try (LogStore store = Stores.at(directory).clock(clock::get).scrubPeriod(period).open()) {
            fill(store, 1000);
            total = sealed().stream().mapToLong(each -> each.toFile().length()).sum();
            assertEquals(0, store.metrics().scrubbedBytes());
            for (int days = 0; days < 4; days++) {
                advance(store, clock, days);
            }
            first = store.metrics().scrubbedBytes();
            clock.addAndGet(Duration.ofMinutes(2).toMillis());
            Stores.await("the file", () -> Files.exists(directory.resolve("store/scrub")));
            assertTrue(store.metrics().lastScrub().isEmpty());
        }
        try (LogStore store = Stores.at(directory).clock(clock::get).scrubPeriod(period).open()) {
            for (int days = 0; store.metrics().lastScrub().isEmpty(); days++) {
                advance(store, clock, days);
            }
            long second = store.metrics().scrubbedBytes();
            assertTrue(
                    first > 0 && first + second < total * 3 / 2,
                    first + " and " + second + " of " + total);
        }
    }

    /** Sets the clock forward until something was verified. */
    private static void advance(LogStore store, AtomicLong clock, int days) {
        long before = store.metrics().scrubbedBytes();
        Stores.await(
                "step " + days,
                () -> {
                    clock.addAndGet(Duration.ofHours(1).toMillis());
                    return store.metrics().scrubbedBytes() > before
                            || store.metrics().lastScrub().isPresent();
                });
    }

    @Test
    void shouldReportASegmentThatCannotBeReadAndVerifyTheOthers() {
        Path bad;
        try (LogStore store = Stores.at(directory).open()) {
            fill(store, 300);
            bad = sealed().get(1);
        }
        FileMedium medium =
                new FilterFileMedium(new ObservedMedium()) {
                    @Override
                    protected MediumFile wrap(Path path, MediumFile file) {
                        return new FilterMediumFile(file) {
                            @Override
                            public Mapping map(int length, boolean writable) throws IOException {
                                if (path.equals(bad)) {
                                    throw new IOException("a sector is gone");
                                }
                                return super.map(length, writable);
                            }
                        };
                    }
                };
        try (LogStore store =
                StoreBuilder.over(directory.resolve("store"), new ObservedMedium())
                        .tier(
                                FileTier.at(Stores.tierOf(directory))
                                        .withMedium(medium)
                                        .withDeclaredDurable())
                        .scrubPeriod(SECOND)
                        .open()) {
            Stores.await("the end of a pass", () -> store.metrics().lastScrub().isPresent());
            List<Finding> found = store.findings();
            assertEquals(1, found.size(), found.toString());
            assertEquals(Finding.Kind.RECORDS_DAMAGED, found.get(0).kind());
            assertTrue(found.get(0).text().contains("a sector is gone"), found.get(0).text());
            try (Tailer tailer = store.openTopic("t").partition(0).openTailer()) {
                tailer.seek(0, found.get(0).fromOffset().getAsLong());
                assertThrows(MediumException.class, () -> Stores.readAll(tailer));
            }
        }
    }

    @Test
    void shouldRefuseAPeriodOfLessThanASecond() {
        assertThrows(
                InvalidOptionException.class,
                () -> Stores.at(directory).scrubPeriod(Duration.ofMillis(999)));
    }
}
