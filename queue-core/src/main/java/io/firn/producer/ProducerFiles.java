package io.firn.producer;

import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.medium.SmallFile;
import io.firn.metadata.TopicDirectory;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import javax.annotation.concurrent.GuardedBy;

/**
 * Files with what the partitions of a topic knew of their producers, their checkpoints: {@code
 * producers-P} of partition P, and {@code producers} of all partitions at the last clean close. Of
 * the two the newer one counts. Thread-safe.
 */
public final class ProducerFiles {
    private static final String MAGIC = "producers";
    private static final String AT_CLOSE = MAGIC;
    private static final int VERSION = 1;

    private final TopicDirectory directory;
    private final AbortedFiles aborted;

    /** Read once for all partitions. */
    @GuardedBy("this")
    private ProducerSnapshots lastClose;

    public ProducerFiles(TopicDirectory directory) {
        this.directory = directory;
        this.aborted = new AbortedFiles(directory);
    }

    /** Returns the files with the aborted transactions that the checkpoints leave out. */
    public AbortedFiles aborted() {
        return aborted;
    }

    private static String nameOf(int partition) {
        return MAGIC + "-" + partition;
    }

    /** Throws when a newer version of Firn wrote some of them. */
    public void checkVersions(int partitions) throws IOException {
        Set<String> present = new HashSet<>(directory.names());
        directory.checkVersion(present, AT_CLOSE, MAGIC, VERSION);
        for (int partition = 0; partition < partitions; partition++) {
            directory.checkVersion(present, nameOf(partition), MAGIC, VERSION);
        }
    }

    /**
     * Returns the newer checkpoint of a partition: its own, or that of the last clean close.
     *
     * @return null when there is no valid one: recovery then reads everything
     */
    public Fields read(int partition) throws IOException {
        Fields own =
                directory.read(
                        nameOf(partition), MAGIC, VERSION, ProducerFiles::checkpointIn, null);
        Map<String, String> atClose = lastClose().of(partition);
        return ProducerSnapshots.later(
                own, atClose == null ? null : Fields.of(directory.fileOf(AT_CLOSE), atClose));
    }

    private static Fields checkpointIn(Fields fields) throws DamagedFileException {
        ProducerSnapshots.offsetOf(fields);
        return fields;
    }

    private synchronized ProducerSnapshots lastClose() throws IOException {
        if (lastClose == null) {
            lastClose = readAtClose();
        }
        return lastClose;
    }

    /** Frees what was kept in memory because all partitions need a part of it. */
    public synchronized void onRecovered() {
        lastClose = null;
    }

    /** Returns the name of the file with a partition's checkpoint. */
    public static String fileName(int partition) {
        return nameOf(partition);
    }

    /** Returns whether a file of a topic has checkpoints. */
    public static boolean isCheckpoint(String file) {
        return file.equals(AT_CLOSE) || file.startsWith(MAGIC + "-");
    }

    /** Returns the content of the file with a partition's checkpoint. */
    public byte[] content(int partition, Map<String, String> snapshot) throws IOException {
        return SmallFile.content(directory.fileOf(nameOf(partition)), MAGIC, VERSION, snapshot);
    }

    /** Returns the checkpoints that the last clean close wrote; empty when they are damaged. */
    public ProducerSnapshots readAtClose() throws IOException {
        ProducerSnapshots read =
                directory.read(AT_CLOSE, MAGIC, VERSION, ProducerSnapshots::of, null);
        return read == null ? new ProducerSnapshots() : read;
    }

    /** Writes the checkpoints of many partitions at once; no deletion needs them. */
    public void writeAtClose(ProducerSnapshots snapshots) throws IOException {
        directory.write(AT_CLOSE, MAGIC, VERSION, snapshots.toText());
    }

    /** Writes the checkpoint of a partition, without which none of its segments is deleted. */
    public void write(int partition, Map<String, String> snapshot) throws IOException {
        directory.writeEvenIfFull(nameOf(partition), MAGIC, VERSION, snapshot);
    }

    /** Deletes the checkpoints of a partition, durably: it is about to be truncated. */
    public void forget(int partition) throws IOException {
        ProducerSnapshots all = readAtClose();
        if (all.remove(partition)) {
            writeAtClose(all);
        }
        directory.deleteDurably(nameOf(partition));
        aborted.deleteBelow(partition, Long.MAX_VALUE);
    }
}
