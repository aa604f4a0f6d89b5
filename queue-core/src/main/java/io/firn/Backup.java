package io.firn;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * A complete backup of a store, or what was restored of one. Immutable.
 *
 * @param directory where it is
 * @param time when its point in time was chosen
 * @param parts the partitions with their offsets at that time, by topic and number
 * @param bytes how many bytes it has
 */
public record Backup(Path directory, Instant time, List<Part> parts, Bytes bytes) {

    /** Creates the description of a backup. */
    public Backup {
        parts = List.copyOf(parts);
    }

    /**
     * A partition.
     *
     * @param topic the name of the topic
     * @param partition its number
     * @param startOffset the log start offset
     * @param endOffset the offset after the last record
     */
    public record Part(String topic, int partition, long startOffset, long endOffset) {}

    /**
     * Bytes of segments.
     *
     * @param total all of them
     * @param copied those that were copied now
     * @param linked those that were linked now; the others were there before
     */
    public record Bytes(long total, long copied, long linked) {}

    /**
     * Reads the backup in a directory, and compares every byte of it with its checksums.
     *
     * @throws MediumException when there is no complete backup, or it is damaged
     */
    public static Backup verify(Path directory) {
        return LogStoreBuilder.forStoreIn(directory).verifyBackup(directory);
    }
}
