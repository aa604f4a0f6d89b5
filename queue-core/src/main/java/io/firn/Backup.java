package io.firn;

import io.firn.LogStore.MoveControl;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * A complete backup of a store, or what was restored of one. Immutable.
 *
 * <pre>{@code
 * Backup made = store.backupTo(backup);
 * // ...
 * Backup whole = Backup.verify(backup);
 * }</pre>
 */
public final class Backup {
    private final Path directory;
    private final Instant time;
    private final List<Part> parts;
    private final Bytes bytes;

    /** Creates the description of a backup. */
    public Backup(Path directory, Instant time, List<Part> parts, Bytes bytes) {
        this.directory = Objects.requireNonNull(directory, "directory");
        this.time = Objects.requireNonNull(time, "time");
        this.parts = List.copyOf(parts);
        this.bytes = Objects.requireNonNull(bytes, "bytes");
    }

    /**
     * Reads the backup in a directory, and compares every byte of it with its checksums.
     *
     * @throws MediumException when there is no complete backup, or it is damaged
     */
    public static Backup verify(Path directory) {
        return verify(directory, MoveControl.UNLIMITED);
    }

    /**
     * As {@link #verify(Path)}, with a control, which paces, observes and cancels it. It is called
     * before each piece that is read.
     *
     * @throws RetryableException when it was cancelled
     */
    public static Backup verify(Path directory, MoveControl control) {
        Objects.requireNonNull(control, "control");
        return LogStoreBuilder.forStoreIn(directory).verifyBackup(directory, control);
    }

    /** Where it is. */
    public Path directory() {
        return directory;
    }

    /** When its point in time was chosen. */
    public Instant time() {
        return time;
    }

    /** The partitions with their offsets at that time, by topic and number. */
    public List<Part> parts() {
        return parts;
    }

    /** How many bytes it has. */
    public Bytes bytes() {
        return bytes;
    }

    @Override
    public String toString() {
        return "backup of " + time + " in " + directory + ", " + bytes;
    }

    /** A partition in a backup. */
    public static final class Part {
        private final String topic;
        private final int partition;
        private final long startOffset;
        private final long endOffset;

        /** Creates the description of a partition. */
        public Part(String topic, int partition, long startOffset, long endOffset) {
            this.topic = Objects.requireNonNull(topic, "topic");
            this.partition = partition;
            this.startOffset = startOffset;
            this.endOffset = endOffset;
        }

        /** The name of the topic. */
        public String topic() {
            return topic;
        }

        /** Its number. */
        public int partition() {
            return partition;
        }

        /** The log start offset. */
        public long startOffset() {
            return startOffset;
        }

        /** The offset after the last record. */
        public long endOffset() {
            return endOffset;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Part part
                    && topic.equals(part.topic)
                    && partition == part.partition
                    && startOffset == part.startOffset
                    && endOffset == part.endOffset;
        }

        @Override
        public int hashCode() {
            return Objects.hash(topic, partition, startOffset, endOffset);
        }

        @Override
        public String toString() {
            return topic + "-" + partition + " from " + startOffset + " to " + endOffset;
        }
    }

    /** Bytes of segments. */
    public static final class Bytes {
        private final long total;
        private final long copied;
        private final long linked;

        /** Creates the counts. */
        public Bytes(long total, long copied, long linked) {
            this.total = total;
            this.copied = copied;
            this.linked = linked;
        }

        /** All of them. */
        public long total() {
            return total;
        }

        /** Those that were copied now. */
        public long copied() {
            return copied;
        }

        /** Those that were linked now; the others were there before. */
        public long linked() {
            return linked;
        }

        @Override
        public String toString() {
            return total + " bytes, " + copied + " of them copied and " + linked + " linked";
        }
    }
}
