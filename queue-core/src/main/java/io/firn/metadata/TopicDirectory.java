package io.firn.metadata;

import io.firn.Finding.Kind;
import io.firn.UnknownTopicException;
import io.firn.background.ParallelSteps;
import io.firn.findings.FindingKey;
import io.firn.findings.Subject;
import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.medium.FileErrors.UnsupportedVersionException;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import io.firn.medium.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The directory of a topic, named by its id. Besides the topic file ({@link TopicFiles}) it has
 * small files, each written as a whole by the feature that it belongs to, which chooses its name.
 * Thread-safe.
 *
 * <p>The topic file is the first to be created and the last to be deleted (O5). Writers of another
 * file end before the deletion begins, and none writes afterwards: the file would remain without
 * the topic file, as if that one had been lost.
 */
public final class TopicDirectory {
    static final String TOPIC = "topic";

    private final StoreFiles files;
    private final FileMedium medium;
    private final Path directory;
    private final UUID id;
    private final String topic;
    // Held shared by writers of a file, and exclusively by the deletion.
    private final ReadWriteLock deletion = new ReentrantReadWriteLock();
    private boolean gone;

    /**
     * Creates the view of a directory, which need not exist.
     *
     * @param topic the name of the topic; null when it is unknown
     */
    public TopicDirectory(StoreFiles files, UUID id, String topic) {
        this.files = files;
        this.id = id;
        this.topic = topic;
        this.medium = files.medium();
        this.directory = files.topics().resolve(id.toString());
    }

    /** A file to be written. */
    public record Content(String name, String magic, int version, Map<String, String> values) {}

    /** Makes something of the fields of a file. */
    @FunctionalInterface
    public interface Parser<T> {
        /** Throws when the fields are not those of such a file. */
        T parse(Fields fields) throws DamagedFileException;
    }

    private interface Change {
        void make() throws IOException;
    }

    // ---- looking

    /** Returns where a file is, or would be. */
    public Path fileOf(String name) {
        return directory.resolve(name);
    }

    /** Returns whether there is a file. */
    public boolean exists(String name) throws IOException {
        return medium.exists(fileOf(name));
    }

    /** As {@link FileMedium#hasExactNames}. */
    public boolean hasExactNames() {
        return medium.hasExactNames();
    }

    /** Lists the files other than the topic file, without hidden ones that a crash left. */
    public List<String> names() throws IOException {
        List<String> names = new ArrayList<>(medium.list(directory));
        names.removeIf(name -> name.startsWith(".") || name.equals(TOPIC));
        return names;
    }

    /**
     * Reads a file strictly.
     *
     * @param newest the newest version of its format that is known
     * @return null when there is no such file
     * @throws DamagedFileException when it is not what it should be
     */
    public Fields read(String name, String magic, int newest) throws IOException {
        return Fields.read(medium, fileOf(name), magic, newest);
    }

    /**
     * Reads a file that can be rebuilt, or is only a hint: damage is reported, and then ignored.
     * That it cannot be read now is not ignored: what was guessed instead would replace it.
     *
     * @param ifDamaged what is returned for a damaged file
     * @return null when there is no such file
     */
    public <T> T read(String name, String magic, int newest, Parser<T> parser, T ifDamaged)
            throws IOException {
        try {
            Fields fields = read(name, magic, newest);
            return fields == null ? null : parser.parse(fields);
        } catch (UnsupportedVersionException e) {
            throw e;
        } catch (DamagedFileException e) {
            addFinding(name, e.getMessage());
            return ifDamaged;
        } catch (IOException e) {
            throw new IOException(fileOf(name) + " could not be read: " + e.getMessage(), e);
        }
    }

    /**
     * Throws when a newer version of Firn wrote a file, and does nothing when there is none.
     *
     * @param present {@link #names}, listed once for all files
     */
    public void checkVersion(Set<String> present, String name, String magic, int newest)
            throws IOException {
        if (present.contains(name)) {
            read(name, magic, newest, fields -> fields, null);
        }
    }

    /** Reports what is wrong with a file, until the store is opened again. */
    public void addFinding(String name, String finding) {
        addFinding(name, Subject.topic(id, topic), finding);
    }

    /** As {@link #addFinding(String, String)}, for a file of one partition. */
    public void addFinding(String name, int partition, String finding) {
        addFinding(name, Subject.partition(id, topic, partition), finding);
    }

    private void addFinding(String name, Subject subject, String finding) {
        files.findings().begin(FindingKey.of(Kind.FILE_DAMAGED, subject, name), finding);
    }

    /** Returns whether a write failed because so many bytes do not fit on the file system. */
    public boolean isFull(IOException e, int bytes) {
        return FileMedium.isNoSpace(e, medium, directory, bytes);
    }

    // ---- writing

    /** Writes a file; durable on return. */
    public void write(String name, String magic, int version, Map<String, String> values)
            throws IOException {
        Path file = fileOf(name);
        change(() -> SmallFile.write(medium, file, magic, version, values));
    }

    /** As {@link #write}, on a full disk in the space that is reserved for deletions. */
    public void writeEvenIfFull(String name, String magic, int version, Map<String, String> values)
            throws IOException {
        Path file = fileOf(name);
        byte[] content = SmallFile.content(file, magic, version, values);
        change(() -> files.spareSpace().write(file, content));
    }

    /**
     * Writes several files at the cost of one: see {@link WholeFile#writeAll}.
     *
     * @return by index why a file was not written; null for one that is durable
     * @throws IOException when each of them may have been written or not
     */
    public IOException[] writeAll(List<Content> contents, ParallelSteps forces) throws IOException {
        List<WholeFile.Replacement> all = new ArrayList<>();
        for (Content each : contents) {
            Path file = fileOf(each.name);
            byte[] content = SmallFile.content(file, each.magic, each.version, each.values);
            all.add(new WholeFile.Replacement(file, content));
        }
        IOException[][] failures = new IOException[1][];
        change(() -> failures[0] = WholeFile.writeAll(medium, all, forces::run));
        return failures[0];
    }

    /** Deletes a file; a crash may bring it back. */
    public void delete(String name) throws IOException {
        change(() -> medium.delete(fileOf(name)));
    }

    /** Deletes a file, durably. */
    public void deleteDurably(String name) throws IOException {
        change(
                () -> {
                    medium.delete(fileOf(name));
                    medium.forceDirectory(directory);
                });
    }

    private void change(Change change) throws IOException {
        deletion.readLock().lock();
        try {
            if (gone) {
                throw new UnknownTopicException("the topic in " + directory + " was deleted");
            }
            change.make();
        } finally {
            deletion.readLock().unlock();
        }
    }

    // ---- the topic file

    FileMedium medium() {
        return medium;
    }

    /** Creates or replaces the topic file. */
    void create(byte[] topicFile) throws IOException {
        if (!medium.exists(directory.getParent())) {
            medium.createDirectories(directory);
        } else if (!medium.exists(directory)) {
            medium.createDirectory(directory); // the open has made the parent's name durable
        }
        WholeFile.write(medium, fileOf(TOPIC), topicFile);
    }

    /** Replaces the topic file by a tombstone, also on a full disk. */
    void entomb(byte[] tombstone) throws IOException {
        files.spareSpace().write(fileOf(TOPIC), tombstone);
    }

    /**
     * Makes the names of the files durable: a process that was killed may have left names that are
     * only in a cache, and what recovery does next must not outlive them (O1).
     */
    public void forceNames() throws IOException {
        medium.forceDirectory(directory);
    }

    /** Removes everything, the topic file last. */
    void deleteAll() throws IOException {
        deletion.writeLock().lock();
        try {
            gone = true;
            if (medium.exists(directory)) { // false if an earlier attempt failed in its last step
                deleteFiles();
            }
            medium.forceDirectory(directory.getParent());
        } finally {
            deletion.writeLock().unlock();
        }
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
}
