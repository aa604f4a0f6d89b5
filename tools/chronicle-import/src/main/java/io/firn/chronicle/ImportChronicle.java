package io.firn.chronicle;

import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.MediumException;
import io.firn.Partition;
import io.firn.RefusedException;
import io.firn.StoredRecord;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.medium.FileMedium;
import io.firn.tools.Exit;
import io.firn.tools.StoreArguments;
import io.firn.tools.Subcommand;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Imports a queue of Chronicle Queue into a topic, and compares both. */
@Command(
        name = "chronicle",
        description = {
            "Imports a Chronicle queue into a topic.",
            "",
            "Appends the documents of a Chronicle queue to partition 0 of a topic, in their order"
                    + " and with their bytes, then compares both record by record. The queue is"
                    + " opened read-only. Creates the store and the topic if they do not exist.",
            "",
            "An import that was interrupted continues when it is started again, and one that"
                    + " was complete appends what the queue has received since: nothing is lost or"
                    + " doubled. Its position is in the topic: the first and the last"
                    + " record of each batch have the header chronicle.index.",
            "",
            "Named tailers of the queue become cursors, unless the topic has a cursor of that name"
                    + " that was advanced. The timestamp of a record is the beginning of its roll"
                    + " cycle.",
            ""
        },
        footer = {
            "",
            "Exit code: 0 when the topic is equal to the queue, 3 when it is not or something"
                    + " failed."
        })
public final class ImportChronicle implements Subcommand {
    /**
     * Kept in a field, because the JDK forgets a logger that nobody refers to. What it logs here is
     * that files are missing, which this program says itself, or is thrown as well.
     */
    private static final Logger CHRONICLE = Logger.getLogger("net.openhft");

    private static final int BAR_WIDTH = 90;
    private static final int HOLES_SHOWN = 10;

    @Parameters(index = "0", paramLabel = "QUEUE_DIR", description = "The queue's directory")
    private Path queue;

    @Parameters(index = "1", paramLabel = "STORE", description = StoreArguments.STORE)
    private Path directory;

    @Parameters(index = "2", paramLabel = "TOPIC", description = "The name of the topic")
    private String topicName;

    @Mixin private StoreArguments storeArguments;

    @Option(
            names = "--accept-holes",
            description =
                    "Imports although files are missing, or documents cannot be read, which are"
                            + " left out. Chronicle Queue creates no file for a cycle in which"
                            + " nothing is written, and keeps no list that distinguishes such a"
                            + " cycle from a deleted file.")
    private boolean acceptsHoles;

    @Option(
            names = "--in-use",
            description =
                    "Imports although another process has the queue open: the documents that it"
                            + " has now. Start it again when the writer has ended.")
    private boolean acceptsUse;

    @Option(
            names = "--every-index",
            description = "Gives every record the header chronicle.index; 34 bytes each.")
    private boolean marksAll;

    @Option(
            names = "--segment-bytes",
            paramLabel = "N",
            description =
                    "The size of segments of a topic that is created; a document may have half of"
                            + " it. Default: ${DEFAULT-VALUE}",
            defaultValue = "67108864")
    private int segmentBytes;

    @Option(names = "--no-compare", description = "Does not compare, and creates no cursors.")
    private boolean noCompare;

    @Spec private CommandSpec spec;

    /** Creates it; picocli sets it. */
    public ImportChronicle() {}

    @Override
    public Integer call() throws IOException {
        CHRONICLE.setLevel(Level.OFF);
        try {
            return importAndCompare();
        } catch (InternalError e) {
            // A fault in Chronicle's mapping, which the JVM may report some instructions late.
            throw WrittenParts.damaged(queue, "a file", e);
        }
    }

    private int importAndCompare() throws IOException {
        checkArguments();
        checkUse();
        try (QueueReader reader = QueueReader.open(queue)) {
            checkHoles(reader);
            try (LogStore store = storeArguments.open(directory)) {
                Topic topic =
                        store.hasTopic(topicName)
                                ? store.openTopic(topicName)
                                : store.createTopic(topicName, newTopic());
                if (topic.partitionCount() > 1) {
                    say(
                            "Topic %s has %d partitions: the records go to partition 0.",
                            topicName, topic.partitionCount());
                }
                append(reader, topic.partition(0));
                requireAllRead(reader, "The import ended before the first of them");
                if (!noCompare) {
                    compare(reader, topic.partition(0));
                }
            }
            reader.unread().forEach(line -> say("Left out: %s.", line));
            reader.notes().forEach(note -> say("Note: %s.", note));
        }
        Set<Long> users = QueueUsers.of(queue);
        if (!users.isEmpty()) {
            say(
                    "The queue is open in %s: start the import again when that has ended.",
                    processes(users));
        }
        return Exit.FINE;
    }

    /** Throws when an argument is wrong, before anything is created. */
    private void checkArguments() throws IOException {
        Topic.checkName(topicName);
        newTopic();
        storeArguments.check();
        if (StoreArguments.isDirectory(queue)
                && realPath(directory).startsWith(queue.toRealPath())) {
            throw new InvalidOptionException(
                    "the store "
                            + directory
                            + " would be in the queue's directory: name another directory");
        }
    }

    private TopicOptions newTopic() {
        return TopicOptions.defaults()
                .withSegmentBytes(segmentBytes)
                .withMaxRecordBytes(segmentBytes / 2);
    }

    /** The path without symbolic links, also of what does not exist. */
    private static Path realPath(Path path) throws IOException {
        Path there = path.toAbsolutePath().normalize();
        Path missing = Path.of("");
        while (!FileMedium.real().exists(there) && there.getParent() != null) {
            missing = there.getFileName().resolve(missing);
            there = there.getParent();
        }
        return there.toRealPath().resolve(missing);
    }

    private void checkUse() throws IOException {
        if (!StoreArguments.isDirectory(queue) || acceptsUse) {
            return;
        }
        Set<Long> users = QueueUsers.of(queue);
        if (!users.isEmpty()) {
            throw new RefusedException(
                    queue
                            + " is in use: "
                            + processes(users)
                            + " can write to it. Stop the writer, or import what is in the queue"
                            + " now with --in-use, and the rest by a second run");
        }
    }

    private static String processes(Set<Long> ids) {
        String numbers = ids.toString().replaceAll("[\\[\\]]", "");
        return (ids.size() == 1 ? "process " : "processes ") + numbers;
    }

    private void checkHoles(QueueReader reader) {
        List<String> holes = reader.holes();
        if (holes.isEmpty()) {
            return;
        }
        StringBuilder text = new StringBuilder();
        holes.stream()
                .limit(HOLES_SHOWN)
                .forEach(hole -> text.append("%n  ".formatted()).append(hole));
        if (holes.size() > HOLES_SHOWN) {
            text.append("%n  and %,d more".formatted(holes.size() - HOLES_SHOWN));
        }
        String message = queue + " has holes, or cycles in which nothing was written:" + text;
        if (!acceptsHoles) {
            throw new RefusedException(
                    message
                            + "%nIf no file is missing, or what is missing may be missing in the topic, start again with --accept-holes"
                                    .formatted());
        }
        say("%s", message);
    }

    /** Appends what the topic does not have yet. */
    private void append(QueueReader reader, Partition partition) {
        ImportedTopic topic = new ImportedTopic(partition, marksAll);
        StoredRecord last = topic.last();
        long all = reader.count();
        say(
                "%s: %,d documents, roll cycle %s, files: %,d.",
                queue, all, reader.rollCycle(), reader.files());
        reader.passUnread(acceptsHoles);
        long before = last == null ? 0 : goOn(reader, last);
        if (last == null) {
            reader.toStart();
        } else {
            say(
                    "Topic %s has %,d records, up to index %x: going on there.",
                    topicName, partition.nextOffset(), ImportedTopic.indexOf(last));
        }
        long started = System.nanoTime();
        long count;
        try (ProgressBar bar = bar("Importing", before, all)) {
            count = topic.append(reader, done -> bar.stepTo(before + done));
        }
        say(
                "Imported %,d documents in %.1f s; topic %s has the offsets %,d to %,d.",
                count,
                (System.nanoTime() - started) / 1e9,
                topicName,
                partition.logStartOffset(),
                partition.nextOffset());
    }

    /** Moves past the document of a record; returns how many documents the queue has up to it. */
    private long goOn(QueueReader reader, StoredRecord last) {
        long index = ImportedTopic.indexOf(last);
        if (reader.moveTo(index)) {
            reader.next();
            Document document = reader.current();
            if (Arrays.equals(
                    document.bytes(), 0, document.length(), last.value(), 0, last.value().length)) {
                return reader.countBefore(index) + 1;
            }
            throw new RefusedException(
                    "topic %s was imported from another queue: its last record, offset %,d, is not the document at index %x"
                            .formatted(topicName, last.offset(), index));
        }
        if (!acceptsHoles) {
            throw new RefusedException(
                    "topic %s ends with the document at index %x, which cannot be read from the queue: its file was deleted, perhaps with more documents, or is damaged; or it is another queue. To go on with the next file, start again with --accept-holes"
                            .formatted(topicName, index));
        }
        say("The queue no longer has index %x, where the topic ends.", index);
        reader.moveBehindFileOf(index);
        return reader.countBefore(index);
    }

    /** Throws when documents cannot be read, and the topic may not lack them. */
    private void requireAllRead(QueueReader reader, String consequence) {
        if (acceptsHoles || reader.unread().isEmpty()) {
            return;
        }
        throw new MediumException(
                "%s is damaged:%n  %s%n%s. Restore the file from a copy and start again; or leave these documents out: start again with --accept-holes"
                        .formatted(
                                queue,
                                String.join("%n  ".formatted(), reader.unread()),
                                consequence));
    }

    private void compare(QueueReader reader, Partition partition) {
        reader.passUnread(true);
        Comparison comparison = new Comparison(partition, reader);
        long started = System.nanoTime();
        try (ProgressBar bar = bar("Comparing", 0, partition.nextOffset())) {
            comparison.run(bar::stepTo);
        }
        requireAllRead(reader, "The topic lacks them");
        say(
                "Equal: %,d records compared one by one in %.1f s.",
                comparison.compared(), (System.nanoTime() - started) / 1e9);
        if (comparison.skipped() > 0) {
            say(
                    "Not compared: %,d records whose documents the queue no longer has.",
                    comparison.skipped());
        }
        if (comparison.hasMore()) {
            say("The queue has received more documents meanwhile: start the import again.");
        }
        int cursors = comparison.placeCursors(line -> say("%s", line));
        if (cursors > 0) {
            say("Named tailers that became cursors: %,d.", cursors);
        }
    }

    private static ProgressBar bar(String what, long from, long all) {
        return new ProgressBarBuilder()
                .setTaskName(what)
                .setInitialMax(Math.max(from, all))
                .startsFrom(from, Duration.ZERO)
                .setUnit(" records", 1)
                .showSpeed()
                .setUpdateIntervalMillis(200)
                .setStyle(ProgressBarStyle.ASCII)
                .setConsumer(new ConsoleProgressBarConsumer(System.err, BAR_WIDTH))
                .build();
    }

    private void say(String format, Object... arguments) {
        spec.commandLine().getOut().printf(Locale.ROOT, format + "%n", arguments);
        spec.commandLine().getOut().flush();
    }
}
