package io.firn.chronicle;

import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.RefusedException;
import io.firn.medium.FileMedium;
import io.firn.tools.StoreArguments;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.queue.TailerDirection;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;

/**
 * Reads the documents of a queue, file by file, and changes nothing. Chronicle's own tailer ends at
 * once when the first file is missing, and passes over other missing ones, so the files are listed
 * first. For one thread.
 */
final class QueueReader implements AutoCloseable {
    /** How long to wait for a file to become readable that a writer has just created. */
    private static final long TIMEOUT_MS = 1_000;

    private static final int ATTEMPTS = 3;
    private static final long PAUSE_NS = 100_000_000;

    private static final String METADATA = "metadata.cq4t";
    private static final String NAMED_TAILER = "index.";

    private final SingleChronicleQueue queue;
    private final long epochMs;
    private final ExcerptTailer tailer;
    private final int filesBefore;
    private final QueueFiles files;
    private final int firstCycle;
    private final int lastCycle;
    private final boolean hasMetadata;
    private final int[] cycles;
    private final Path directory;
    private final WrittenParts written;
    private final long[] counts;
    private final UnreadDocuments unread;
    private final List<String> notes = new ArrayList<>();
    private Document current = new Document();
    private Document ahead = new Document();
    private boolean hasAhead;
    private boolean isReading;
    private int file = -1;

    /** How many documents of the file are before the one that is read next. */
    private long read;

    private boolean passesUnread = true;

    private QueueReader(Path directory, QueueFiles.Listing listing) throws IOException {
        this.directory = directory;
        filesBefore = listing.names(directory).size();
        hasMetadata = FileMedium.real().exists(directory.resolve(METADATA));
        SingleChronicleQueueBuilder builder =
                SingleChronicleQueueBuilder.single(directory.toString())
                        .readOnly(true)
                        .timeoutMS(TIMEOUT_MS);
        queue = builder.build();
        epochMs = builder.epoch();
        tailer = queue.createTailer();
        // Before the files are listed, because a writer can add some meanwhile.
        firstCycle = queue.firstCycle();
        lastCycle = queue.lastCycle();
        cycles = cycles();
        files = new QueueFiles(listing.names(directory), cycles);
        written = WrittenParts.of(directory, queue, cycles, files);
        counts = written.counts();
        unread = new UnreadDocuments(queue.rollCycle(), counts);
    }

    /**
     * Opens a queue.
     *
     * @throws FirnException when the directory holds none, or one that cannot be read
     */
    static QueueReader open(Path directory) throws IOException {
        return open(directory, QueueFiles::list);
    }

    /** Opens a queue; the listing says which files are there. */
    static QueueReader open(Path directory, QueueFiles.Listing listing) throws IOException {
        if (!StoreArguments.isDirectory(directory)) {
            throw new InvalidOptionException("there is no directory " + directory);
        }
        if (listing.names(directory).isEmpty()) {
            throw new InvalidOptionException(
                    directory
                            + " is no directory of a queue with records: files named *"
                            + QueueFiles.SUFFIX
                            + " are expected, found none");
        }
        try {
            QueueReader reader = new QueueReader(directory, listing);
            for (int i = 1; i < ATTEMPTS && !reader.hasAllFiles(); i++) {
                reader.close();
                LockSupport.parkNanos(PAUSE_NS); // a writer is perhaps creating a file
                reader = new QueueReader(directory, listing);
            }
            reader.requireReadable(directory);
            return reader;
        } catch (FirnException e) {
            throw e;
        } catch (InternalError e) {
            throw WrittenParts.damaged(directory, "a file", e);
        } catch (DateTimeException e) {
            throw new RefusedException(
                    directory
                            + ": Chronicle Queue cannot list the files of this roll cycle ("
                            + e.getMessage()
                            + ")",
                    e);
        } catch (RuntimeException | LinkageError e) {
            throw new RefusedException(
                    directory + ": Chronicle Queue cannot open it as a queue: " + e, e);
        }
    }

    /** The cycles that have a file; what the queue's metadata says may be out of date. */
    private int[] cycles() {
        List<Integer> found = new ArrayList<>();
        try {
            int cycle = queue.nextCycle(queue.firstCycle() - 1, TailerDirection.FORWARD);
            while (cycle != -1) {
                found.add(cycle);
                cycle = queue.nextCycle(cycle, TailerDirection.FORWARD);
            }
        } catch (java.text.ParseException e) {
            throw new IllegalStateException("the name of a file: " + e.getMessage(), e);
        }
        return found.stream().mapToInt(Integer::intValue).toArray();
    }

    /**
     * Whether Chronicle Queue lists the files that are in the directory. A writer can add some
     * while it does, which are the last ones.
     */
    private boolean hasAllFiles() {
        return filesBefore <= cycles.length && cycles.length <= files.count();
    }

    /** Files that Chronicle Queue does not list or cannot read, one line each. */
    private void requireReadable(Path directory) {
        if (!hasAllFiles()) {
            throw new RefusedException(
                    "%s: %d files are named *%s, of which Chronicle Queue lists %d for the roll cycle %s; the others belong to another queue, or the metadata does"
                            .formatted(
                                    directory,
                                    files.count(),
                                    QueueFiles.SUFFIX,
                                    cycles.length,
                                    queue.rollCycle()));
        }
        for (int i = 0; i < cycles.length; i++) {
            if (counts[i] < 0) {
                throw new RefusedException(
                        directory
                                + ": Chronicle Queue cannot read "
                                + files.name(cycles[i])
                                + " as a file of this queue");
            }
        }
    }

    /** What is not there and perhaps was, one line each; empty when nothing is missing. */
    List<String> holes() {
        return files.holes(firstCycle, lastCycle);
    }

    /** What was noticed while reading, one line each. */
    List<String> notes() {
        return notes;
    }

    /** The documents that were passed over because they cannot be read, one line for each file. */
    List<String> unread() {
        return unread.lines(files, cycles);
    }

    /**
     * Sets whether documents that cannot be read are passed over. If not, the first of them is the
     * end.
     */
    void passUnread(boolean passes) {
        passesUnread = passes;
    }

    int files() {
        return cycles.length;
    }

    RollCycle rollCycle() {
        return queue.rollCycle();
    }

    /** The number of documents. */
    long count() {
        return Arrays.stream(counts).sum();
    }

    /** The number of documents before an index. */
    long countBefore(long index) {
        int at = Arrays.binarySearch(cycles, queue.rollCycle().toCycle(index));
        return at < 0
                ? Arrays.stream(counts, 0, -at - 1).sum()
                : Arrays.stream(counts, 0, at).sum() + queue.rollCycle().toSequenceNumber(index);
    }

    /** Whether the file is there that a document at an index would be in. */
    boolean hasFileOf(long index) {
        return Arrays.binarySearch(cycles, queue.rollCycle().toCycle(index)) >= 0;
    }

    /** The time when a cycle began, in ms since 1970: a document has none of its own. */
    long timestampMs(int cycle) {
        return Math.max(0, (long) cycle * queue.rollCycle().lengthInMillis() + epochMs);
    }

    /** The next index to be read by each named tailer. */
    Map<String, Long> namedTailers() {
        Map<String, Long> positions = new TreeMap<>();
        if (!hasMetadata) {
            return positions; // Chronicle Queue does without, but cannot list what is in it
        }
        queue.metaStore()
                .forEachKey(
                        positions,
                        (all, key, value) -> {
                            String name = key.toString();
                            if (name.startsWith(NAMED_TAILER) && !name.endsWith(".version")) {
                                all.put(name.substring(NAMED_TAILER.length()), value.int64());
                            }
                        });
        return positions;
    }

    /** Begins at the first document. */
    void toStart() {
        file = -1;
        isReading = false;
        hasAhead = readAhead();
    }

    /**
     * Begins at the document with an index.
     *
     * @return false when it is not there
     */
    boolean moveTo(long index) {
        int cycle = queue.rollCycle().toCycle(index);
        file = Arrays.binarySearch(cycles, cycle);
        isReading = file >= 0 && tailer.moveToIndex(index);
        read = queue.rollCycle().toSequenceNumber(index);
        hasAhead = isReading && readAhead();
        return hasAhead && ahead.index() == index;
    }

    /**
     * Begins at the first document of the first file of a later cycle than that of an index.
     *
     * @return false when there is no such document
     */
    boolean moveBehindFileOf(long index) {
        int at = Arrays.binarySearch(cycles, queue.rollCycle().toCycle(index));
        file = at >= 0 ? at : -at - 2;
        isReading = false;
        hasAhead = readAhead();
        return hasAhead;
    }

    /** Goes to the next document; false at the end. */
    boolean next() {
        if (!hasAhead) {
            return false;
        }
        Document next = ahead;
        ahead = current;
        current = next;
        hasAhead = readAhead();
        return true;
    }

    /** The document that {@link #next} went to; valid until it is called again. */
    Document current() {
        return current;
    }

    /** The document after the current one; null when there is none. */
    Document ahead() {
        return hasAhead ? ahead : null;
    }

    private boolean readAhead() {
        while (true) {
            if (!isReading) {
                if (++file >= cycles.length) {
                    return false;
                }
                read = 0;
                isReading = tailer.moveToIndex(queue.rollCycle().toIndex(cycles[file], 0));
                if (!isReading && !mayLeaveFile()) {
                    return atEnd();
                }
                continue;
            }
            if (!written.mayRead(file, read)) {
                isReading = false;
                if (!mayLeaveFile()) {
                    return atEnd();
                }
                continue;
            }
            try (DocumentContext document = tailer.readingDocument()) {
                if (document.isPresent()) {
                    int cycle = queue.rollCycle().toCycle(document.index());
                    int at = Arrays.binarySearch(cycles, cycle);
                    // Without one, it is in a file that came after the list was made.
                    for (int next = at < 0 ? cycles.length : at; file < next; file++, read = 0) {
                        if (!mayLeaveFile()) {
                            return atEnd();
                        }
                    }
                    if (at < 0) {
                        return atEnd();
                    }
                    read = queue.rollCycle().toSequenceNumber(document.index()) + 1;
                    ahead.set(document.index(), cycle, document.wire().bytes());
                    return true;
                }
            } catch (InternalError | RuntimeException e) { // Chronicle's, at a wrong header
                if (read >= counts[file]) {
                    throw WrittenParts.damaged(directory, files.name(cycles[file]), e);
                }
            }
            isReading = false;
            if (!mayLeaveFile()) {
                return atEnd();
            }
            if (file < cycles.length - 1 && unread.isWhole(file)) {
                noteEnd(cycles[file]);
            }
        }
    }

    private boolean mayLeaveFile() {
        return unread.ended(file, read) || passesUnread;
    }

    private boolean atEnd() {
        file = cycles.length;
        isReading = false;
        return false;
    }

    private void noteEnd(int cycle) {
        String note =
                files.name(cycle)
                        + " does not end with Chronicle's end mark: its writer did not finish it."
                        + " A document that was not completed, and what follows it in this file,"
                        + " cannot be read";
        if (!notes.contains(note)) {
            notes.add(note);
        }
    }

    @Override
    public void close() {
        tailer.close();
        queue.close();
    }
}
