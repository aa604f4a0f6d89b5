package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.open.StoreBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A store in a directory of this machine, with a few sealed segments and one that goes on. */
final class Disk {
    static final String TOPIC = "t";
    static final TopicOptions SMALL = TopicOptions.defaults().withSegmentBytes(64 * 1024);
    private static final int VALUE_LENGTH = 9_000; // seven to a segment

    final Path root;
    private final FileMedium medium;

    Disk(Path root) {
        this(root, FileMedium.real());
    }

    Disk(Path root, FileMedium medium) {
        this.root = root;
        this.medium = medium;
    }

    LogStoreBuilder builder() {
        return StoreBuilder.over(root.resolve("store"), medium)
                .tier(FileTier.at(segments()).withMedium(medium));
    }

    LogStore open() {
        return builder().open();
    }

    Path segments() {
        return root.resolve("segments");
    }

    static Partition partition(LogStore store) {
        return store.ensureTopic(TOPIC, SMALL).partition(0);
    }

    /** A value that says where it belongs. */
    static byte[] value(long offset) {
        byte[] value = new byte[VALUE_LENGTH];
        Arrays.fill(value, (byte) (offset * 31 + 7));
        return value;
    }

    /** Appends values after the last, two to a batch, with ascending timestamps. */
    static void append(Partition partition, int count) {
        try (Appender appender = partition.openExclusiveAppender()) {
            Batch batch = appender.newBatch();
            for (int i = 0; i < count; i += 2) {
                long offset = partition.nextOffset();
                batch.clear();
                batch.value(value(offset)).timestamp(offset).add();
                batch.value(value(offset + 1)).timestamp(offset + 1).add();
                assertEquals(offset, appender.append(batch));
            }
        }
    }

    /** Makes the store: offsets 0 to 29, six to a sealed segment. */
    Map<Long, byte[]> fill() {
        try (LogStore store = open()) {
            append(partition(store), 30);
        }
        Map<Long, byte[]> expected = new TreeMap<>();
        for (long offset = 0; offset < 30; offset++) {
            expected.put(offset, value(offset));
        }
        return expected;
    }

    /** A segment's file. */
    Path sealed(long baseOffset, String ending) throws IOException {
        return first(String.format("%020d.%s", baseOffset, ending));
    }

    /** The file of the segment that goes on; there may be another that is set aside. */
    Path active() throws IOException {
        return first(".active");
    }

    private Path first(String ending) throws IOException {
        while (true) {
            try (Stream<Path> files = Files.walk(segments())) {
                return files.filter(file -> file.toString().endsWith(ending))
                        .min(Comparator.naturalOrder())
                        .orElseThrow();
            } catch (UncheckedIOException e) {
                // A file was renamed while we walked: the background sets a block aside.
                if (!(e.getCause() instanceof NoSuchFileException)) {
                    throw e;
                }
            }
        }
    }
}
