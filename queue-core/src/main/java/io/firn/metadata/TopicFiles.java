package io.firn.metadata;

import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.MediumException;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.medium.Fields;
import io.firn.medium.FileErrors;
import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import io.firn.metadata.TopicScan.UnknownOptionsException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The files of a topic that every topic has, in its {@link TopicDirectory}: {@code topic} with its
 * name and options, and whether it is being deleted, and {@code start-P} with the log start offset
 * of partition P. Thread-safe.
 */
public final class TopicFiles {
    private static final int VERSION = 1;

    /** Of the topic file: {@link TopicOptionsFormat#versionOf}. */
    private static final int TOPIC_VERSION = 3;

    private static final String TOPIC = TopicDirectory.TOPIC;
    private static final String START = "start";
    private static final String NAME = "name";
    private static final String DELETED = "deleted";
    private static final String OFFSET = "offset";

    /** The name of the topic that the journal of transactions is in; users cannot choose it. */
    public static final String JOURNAL = "~transactions";

    private final TopicDirectory directory;
    private final FileMedium medium;

    /** Creates the view of the files of a topic whose name is unknown. */
    public TopicFiles(StoreFiles files, UUID id) {
        this(files, id, null);
    }

    public TopicFiles(StoreFiles files, UUID id, String name) {
        this(new TopicDirectory(files, id, name));
    }

    public TopicFiles(TopicDirectory directory) {
        this.directory = directory;
        this.medium = directory.medium();
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
        Fields fields = directory.read(TOPIC, TOPIC, TOPIC_VERSION);
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
        return directory.fileOf(TOPIC);
    }

    /** The directory that they are in. */
    public TopicDirectory directory() {
        return directory;
    }

    /** Throws when a newer version of Firn wrote some of them. */
    public void checkVersions(int partitions) throws IOException {
        Set<String> present = new HashSet<>(directory.names());
        for (int partition = 0; partition < partitions; partition++) {
            directory.checkVersion(present, startName(partition), START, VERSION);
        }
    }

    /** Returns whether there is a file with a partition's log start, and it is damaged. */
    public boolean isLogStartDamaged(int partition) throws IOException {
        return directory.exists(startName(partition)) && readStart(partition) == null;
    }

    private static String startName(int partition) {
        return START + "-" + partition;
    }

    /** The file with a partition's log start. */
    public Path startFile(int partition) {
        return directory.fileOf(startName(partition));
    }

    public void create(String name, TopicOptions options) throws IOException {
        directory.create(content(name, options, false));
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
        directory.entomb(content(name, options, true));
    }

    private byte[] content(String name, TopicOptions options, boolean deleted) throws IOException {
        Map<String, String> values = TopicOptionsFormat.encode(options);
        values.put(NAME, name);
        values.put(DELETED, Boolean.toString(deleted));
        int version = TopicOptionsFormat.versionOf(options);
        return SmallFile.content(topicFile(), TOPIC, version, values);
    }

    /**
     * Removes everything that the directory has, the topic file last: until then it says that the
     * topic is being deleted.
     */
    public void delete() throws IOException {
        directory.deleteAll();
    }

    public long readLogStart(int partition) throws IOException {
        Long start = readStart(partition);
        return start == null ? 0 : start;
    }

    /** Returns null when there is no file, or a damaged one. */
    private Long readStart(int partition) throws IOException {
        return directory.read(startName(partition), START, VERSION, TopicFiles::offsetIn, null);
    }

    private static Long offsetIn(Fields fields) throws DamagedFileException {
        return fields.offset(OFFSET);
    }

    public void writeLogStart(int partition, long offset) throws IOException {
        directory.writeEvenIfFull(startName(partition), START, VERSION, logStart(offset));
    }

    /** Writes a log start if there is no file yet: to replace one needs no space. */
    public void ensureLogStart(int partition, long offset) throws IOException {
        if (!directory.exists(startName(partition))) {
            directory.write(startName(partition), START, VERSION, logStart(offset));
        }
    }

    /**
     * Adds a finding when a partition has no file with its log start.
     *
     * @param why what shows that there was one
     */
    public void noteMissingLogStart(int partition, String why) throws IOException {
        if (!directory.exists(startName(partition))) {
            directory.addFinding(
                    startName(partition),
                    partition,
                    startFile(partition)
                            + " is missing, although "
                            + why
                            + ": where the log starts is lost, and records below it that"
                            + " were deleted are served again or reported as damaged;"
                            + " restore the file, or set the log start again with"
                            + " deleteRecordsBefore");
        }
    }

    /** Returns the content of the file with a partition's log start. */
    public byte[] logStartFile(int partition, long offset) throws IOException {
        return SmallFile.content(startFile(partition), START, VERSION, logStart(offset));
    }

    private static Map<String, String> logStart(long offset) {
        return Map.of(OFFSET, Long.toString(offset));
    }

    public static FirnException failed(String what, IOException cause) {
        return new MediumException(what + ": " + FileErrors.describe(cause), cause);
    }
}
