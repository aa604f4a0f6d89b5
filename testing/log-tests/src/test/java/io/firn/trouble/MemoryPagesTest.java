package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import io.firn.open.StoreBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store through a mapping may take space for all of its page (O17), so whole pages of memory get
 * space before. They are larger than those of the file system on some machines: {@code bin/check
 * platforms} runs this with pages of 64 KiB.
 */
class MemoryPagesTest {
    private static final int SEGMENT_BYTES = 300_000;

    @TempDir Path directory;

    private record Range(long from, long to) {}

    /** Notes the zeros that prepare space, and all that is written while a file gets its marks. */
    private static final class Noting extends FilterFileMedium {
        private final List<Range> zeros = new ArrayList<>();
        private final List<Range> marks = new ArrayList<>();

        Noting() {
            super(FileMedium.real());
        }

        @Override
        protected MediumFile wrap(Path path, MediumFile file) {
            boolean isNew = !path.toString().endsWith(".active");
            return new FilterMediumFile(file) {
                @Override
                public void write(long position, byte[] source, int offset, int length)
                        throws IOException {
                    if (isNew && position > SEGMENT_BYTES / 2) {
                        marks.add(new Range(position, position + length));
                    }
                    super.write(position, source, offset, length);
                }

                @Override
                public void write(long position, ByteBuffer source) throws IOException {
                    // Batches are shorter.
                    if (!isNew && source.remaining() > 1000) {
                        zeros.add(new Range(position, position + source.remaining()));
                    }
                    super.write(position, source);
                }
            };
        }
    }

    @Test
    void shouldGiveSpaceToWholePagesBeforeTheyAreStoredTo() throws IOException {
        check(0);
    }

    @Test
    void shouldPrepareWholePagesWhereTheOptionsWantLess() throws IOException {
        check(5_000);
    }

    private void check(int preparedBytes) throws IOException {
        Noting medium = new Noting();
        TopicOptions options =
                TopicOptions.defaults()
                        .withSegmentBytes(SEGMENT_BYTES)
                        .withDurability(Durability.WRITTEN)
                        .withPreparedBytes(preparedBytes);
        try (LogStore store =
                StoreBuilder.over(directory.resolve("store"), medium)
                        .tier(FileTier.at(directory.resolve("segments")).withMedium(medium))
                        .invokerMode()
                        .open()) {
            try (Appender appender =
                    store.createTopic("t", options).partition(0).openExclusiveAppender()) {
                for (int i = 0; i < 200; i++) {
                    appender.append(new byte[500]);
                    while (store.doWork() > 0) {
                        // prepares
                    }
                }
            }
        }
        assertFalse(medium.zeros.isEmpty(), "nothing was prepared");
        for (Range each : joined(medium.zeros)) {
            assertEquals(0, each.from % Mapping.PAGE, each::toString);
            assertEquals(0, each.to % Mapping.PAGE, each::toString);
        }
        assertFalse(medium.marks.isEmpty(), "no marks");
        for (Range each : medium.marks) {
            assertEquals(0, each.from % Mapping.PAGE, each::toString);
        }
    }

    /** Zeros are written in pieces. */
    private static List<Range> joined(List<Range> pieces) {
        List<Range> joined = new ArrayList<>();
        for (Range each : pieces) {
            int last = joined.size() - 1;
            if (last >= 0 && joined.get(last).to == each.from) {
                joined.set(last, new Range(joined.get(last).from, each.to));
            } else {
                joined.add(each);
            }
        }
        return joined;
    }
}
