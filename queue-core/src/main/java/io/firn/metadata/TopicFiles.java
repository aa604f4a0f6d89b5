package io.firn.metadata;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.UnknownTopicException;
import io.firn.medium.DamagedFileException;
import io.firn.medium.Fields;
import io.firn.medium.FileMedium;
import io.firn.medium.Reason;
import io.firn.medium.SmallFile;
import io.firn.medium.UnsupportedVersionException;
import io.firn.medium.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A topic's metadata on the medium: a directory named by the topic's id, with small files.
 *
 * <pre>
 * topics/ID/topic          name, options, whether it is being deleted
 *           start-P        log start offset of partition P
 *           producers-P    what partition P knew of idempotent producers
 *           producers      what all partitions knew of them at the last clean close
 *           truncated-P    what the replicated partition P was truncated to
 *           was-truncated-P  that there is such a file, or it was lost
 *           aborted-P-N    aborted transactions of partition P, see AbortedFiles
 *           cursor-NAME    offsets of a cursor, by partition, see CursorFiles
 * </pre>
 */
public final class TopicFiles {
    private static final int VERSION = 1;

    /** Of the topic file: {@link TopicOptionsFormat#versionOf}. */
    private static final int TOPIC_VERSION = 3;

    private static final String TOPIC = "topic";
    private static final String START = "start";
    private static final String PRODUCERS = "producers";
    private static final String NAME = "name";
    private static final String DELETED = "deleted";
    private static final String OFFSET = "offset";

    /** The name of the topic that the journal of transactions is in; users cannot choose it. */
    public static final String JOURNAL = "~transactions";

    private final StoreFiles files;
    private final FileMedium medium;
    private final Path directory;
    // Held shared by writers of a part, and exclusively by the deletion.
    private final ReadWriteLock partsLock = new ReentrantReadWriteLock();
    private boolean gone;

    /** Read once for all partitions. */
    @GuardedBy("this")
    private ProducerSnapshots lastClose;

    public TopicFiles(StoreFiles files, UUID id) {
        this.files = files;
        this.medium = files.medium();
        this.directory = files.topics().resolve(id.toString());
    }

    /** The content of the topic file; without the options if the topic is being deleted. */
    public record Description(String name, TopicOptions options, boolean deleted) {}

    /** Writes a topic file. */
    @FunctionalInterface
    public interface Change {
        /** Durable on return. */
        void write() throws IOException;
    }

    /** Returns null when there is no topic file: the creation did not get that far. */
    public Description read() throws IOException {
        Fields fields = Fields.read(medium, directory.resolve(TOPIC), TOPIC, TOPIC_VERSION);
        if (fields == null) {
            return null;
        }
        String name = fields.text(NAME);
        if (!name.equals(JOURNAL)) {
            checkName(fields, name);
        }
        if (fields.flag(DELETED)) {
            return new Description(name, null, true);
        }
        Map<String, String> options = new LinkedHashMap<>(fields.values());
        options.keySet().removeAll(List.of(NAME, DELETED));
        try {
            TopicOptionsFormat.checkComplete(fields);
            return new Description(name, TopicOptionsFormat.decode(options), false);
        } catch (InvalidOptionException e) {
            throw new UnknownOptionsException(
                    name,
                    topicFile()
                            + " has options that this version does not know ("
                            + e.getMessage()
                            + "): a newer version of Firn may have written it, open the store with"
                            + " that one",
                    e);
        }
    }

    private static void checkName(Fields fields, String name) throws DamagedFileException {
        try {
            Topic.checkName(name);
        } catch (InvalidOptionException e) {
            throw fields.unexpected(NAME, "a topic's name", name);
        }
    }

    /** The file with the topic's name and options. */
    public Path topicFile() {
        return directory.resolve(TOPIC);
    }

    /** The files with aborted transactions. */
    public AbortedFiles aborted() {
        return new AbortedFiles(this);
    }

    /** The files with what replicated partitions were truncated to. */
    public CutFiles cuts() {
        return new CutFiles(this);
    }

    /** The files of cursors. */
    public CursorFiles cursors() {
        return new CursorFiles(this);
    }

    Path resolve(String part) {
        return directory.resolve(part);
    }

    FileMedium medium() {
        return medium;
    }

    Findings findings() {
        return files.findings();
    }

    /** The files beside the topic file, without hidden ones that a crash left. */
    List<String> parts() throws IOException {
        List<String> names = new ArrayList<>(medium.list(directory));
        names.removeIf(name -> name.startsWith(".") || name.equals(TOPIC));
        return names;
    }

    /**
     * Reads what recovery will need.
     *
     * @throws io.firn.medium.UnsupportedVersionException when a newer Firn wrote some of it
     */
    public void checkVersions(int partitions) throws IOException {
        Set<String> present = new HashSet<>(parts());
        checkVersion(present, PRODUCERS, PRODUCERS);
        for (int partition = 0; partition < partitions; partition++) {
            checkVersion(present, START, START + "-" + partition);
            checkVersion(present, PRODUCERS, PRODUCERS + "-" + partition);
            checkVersion(present, CutFiles.MAGIC, CutFiles.nameOf(partition));
        }
    }

    private void checkVersion(Set<String> present, String magic, String name) throws IOException {
        if (present.contains(name)) {
            readPart(magic, name, fields -> fields, null);
        }
    }

    /**
     * Whether the next offset of a partition without segments is known. If its log start is damaged
     * and there is no checkpoint, it is not.
     */
    public boolean tellsNextOffset(int partition) throws IOException {
        String name = START + "-" + partition;
        return !medium.exists(directory.resolve(name))
                || readPart(START, name, TopicFiles::offsetIn, null) != null
                || readProducers(partition) != null;
    }

    /** The file with a partition's log start. */
    public Path startFile(int partition) {
        return directory.resolve(START + "-" + partition);
    }

    /**
     * Makes the names of the files durable: a process that was killed may have left names that are
     * only in a cache, and what recovery does next must not outlive them (O1).
     */
    public void forceNames() throws IOException {
        medium.forceDirectory(directory);
    }

    public void create(String name, TopicOptions options) throws IOException {
        medium.createDirectories(directory);
        WholeFile.write(medium, topicFile(), content(name, options, false));
    }

    /**
     * Returns what identifies the topic file, which is another one after each change, for which no
     * file is opened; null when it is not known.
     */
    public Object identity() {
        try {
            return medium.identityOf(topicFile());
        } catch (IOException e) {
            return null;
        }
    }

    /** From here on the topic does not exist, even if parts of it remain. */
    public void writeTombstone(String name, TopicOptions options) throws IOException {
        files.spareSpace().write(topicFile(), content(name, options, true));
    }

    private byte[] content(String name, TopicOptions options, boolean deleted) throws IOException {
        Map<String, String> values = TopicOptionsFormat.encode(options);
        values.put(NAME, name);
        values.put(DELETED, Boolean.toString(deleted));
        int version = TopicOptionsFormat.versionOf(options);
        return SmallFile.content(topicFile(), TOPIC, version, values);
    }

    /**
     * Removes everything, the topic file last: until then it says that the topic is being deleted.
     * Writers of a part end before this begins, and none writes afterwards: the part would remain
     * without the topic file, as if that file had been lost.
     */
    public void delete() throws IOException {
        partsLock.writeLock().lock();
        try {
            gone = true;
            deleteAll();
        } finally {
            partsLock.writeLock().unlock();
        }
    }

    void changePart(Change change) throws IOException {
        partsLock.readLock().lock();
        try {
            if (gone) {
                throw new UnknownTopicException("the topic in " + directory + " was deleted");
            }
            change.write();
        } finally {
            partsLock.readLock().unlock();
        }
    }

    private void deleteAll() throws IOException {
        if (medium.exists(directory)) { // false if an earlier attempt failed in its last step
            deleteFiles();
        }
        medium.forceDirectory(directory.getParent());
    }

    private void deleteFiles() throws IOException {
        List<String> names = new ArrayList<>(medium.list(directory));
        names.sort(Comparator.reverseOrder()); // was-truncated-P before truncated-P
        for (String name : names) {
            if (!name.equals(TOPIC)) {
                medium.delete(directory.resolve(name));
            }
        }
        medium.forceDirectory(directory);
        medium.delete(directory.resolve(TOPIC));
        medium.delete(directory);
    }

    public long readLogStart(int partition) throws IOException {
        Long start = readPart(START, START + "-" + partition, TopicFiles::offsetIn, null);
        return start == null ? 0 : start;
    }

    private static Long offsetIn(Fields fields) throws DamagedFileException {
        return fields.offset(OFFSET);
    }

    public void writeLogStart(int partition, long offset) throws IOException {
        Map<String, String> values = logStart(offset);
        changePart(() -> writeInSpare(startFile(partition), START, values));
    }

    /** Writes a log start if there is no file yet: to replace one needs no space. */
    public void ensureLogStart(int partition, long offset) throws IOException {
        Path file = startFile(partition);
        if (!medium.exists(file)) {
            changePart(() -> SmallFile.write(medium, file, START, VERSION, logStart(offset)));
        }
    }

    /**
     * Adds a finding when a partition has no file with its log start.
     *
     * @param why what shows that there was one
     */
    public void noteMissingLogStart(int partition, String why) throws IOException {
        Path file = startFile(partition);
        if (!medium.exists(file)) {
            files.findings()
                    .add(
                            file
                                    + " is missing, although "
                                    + why
                                    + ": where the log starts is lost, and records below it that"
                                    + " were deleted are served again or reported as damaged;"
                                    + " restore the file, or set the log start again with"
                                    + " deleteRecordsBefore");
        }
    }

    private static Map<String, String> logStart(long offset) {
        return Map.of(OFFSET, Long.toString(offset));
    }

    /**
     * Returns the newer checkpoint of a partition: its own, or that of the last clean close.
     *
     * @return null when there is no valid one: recovery then reads everything
     */
    public Fields readProducers(int partition) throws IOException {
        Fields own =
                readPart(PRODUCERS, PRODUCERS + "-" + partition, TopicFiles::checkpointIn, null);
        Map<String, String> atClose = lastClose().of(partition);
        return ProducerSnapshots.later(
                own, atClose == null ? null : Fields.of(directory.resolve(PRODUCERS), atClose));
    }

    private static Fields checkpointIn(Fields fields) throws DamagedFileException {
        ProducerSnapshots.offsetOf(fields);
        return fields;
    }

    private synchronized ProducerSnapshots lastClose() throws IOException {
        if (lastClose == null) {
            lastClose = readProducersOfLastClose();
        }
        return lastClose;
    }

    /** Returns the checkpoints that the last clean close wrote; empty when they are damaged. */
    public ProducerSnapshots readProducersOfLastClose() throws IOException {
        ProducerSnapshots read = readPart(PRODUCERS, PRODUCERS, ProducerSnapshots::of, null);
        return read == null ? new ProducerSnapshots() : read;
    }

    /** Frees what was kept in memory because all partitions need a part of it. */
    public synchronized void onRecovered() {
        lastClose = null;
    }

    public void writeProducers(int partition, Map<String, String> snapshot) throws IOException {
        Path file = directory.resolve(PRODUCERS + "-" + partition);
        changePart(() -> writeInSpare(file, PRODUCERS, snapshot));
    }

    /** Deletes the checkpoints of a partition, durably: it is about to be truncated. */
    public void forgetProducers(int partition) throws IOException {
        ProducerSnapshots all = readProducersOfLastClose();
        if (all.remove(partition)) {
            writeProducers(all);
        }
        changePart(() -> deletePart(PRODUCERS + "-" + partition));
        aborted().deleteBelow(partition, Long.MAX_VALUE);
    }

    void writeInSpare(Path file, String magic, Map<String, String> values) throws IOException {
        byte[] content = SmallFile.content(file, magic, VERSION, values);
        files.spareSpace().write(file, content);
    }

    /** Writes the checkpoints of many partitions at once; no deletion needs them. */
    public void writeProducers(ProducerSnapshots snapshots) throws IOException {
        Path file = directory.resolve(PRODUCERS);
        Map<String, String> values = snapshots.toText();
        changePart(() -> SmallFile.write(medium, file, PRODUCERS, VERSION, values));
    }

    /** Deletes a file, durably. */
    void deletePart(String name) throws IOException {
        medium.delete(directory.resolve(name));
        medium.forceDirectory(directory);
    }

    /** Makes something of the fields of a file. */
    interface Parser<T> {
        T parse(Fields fields) throws DamagedFileException;
    }

    /**
     * Damaged files are reported and ignored here: they can be rebuilt, or are only hints. One that
     * could not be read now is not: it would be replaced by what was guessed instead.
     *
     * @param ifDamaged what is returned for a damaged file
     * @return null when there is no such file
     */
    <T> T readPart(String magic, String name, Parser<T> parser, T ifDamaged) throws IOException {
        Path file = directory.resolve(name);
        try {
            Fields fields = Fields.read(medium, file, magic, VERSION);
            return fields == null ? null : parser.parse(fields);
        } catch (UnsupportedVersionException e) {
            throw e;
        } catch (DamagedFileException e) {
            files.findings().add(e.getMessage());
            return ifDamaged;
        } catch (IOException e) {
            throw new IOException(file + " could not be read: " + e.getMessage(), e);
        }
    }

    public static FirnException failed(String what, IOException cause) {
        return new FirnException(what + ": " + Reason.of(cause), cause);
    }
}
