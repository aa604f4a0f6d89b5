package io.firn.ends;

import io.firn.medium.FileMedium;
import io.firn.medium.Mapping;
import io.firn.medium.MediumFile;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The writer's side of the file in which it publishes the ends of its partitions ({@link
 * EndsFormat}). The file lives as long as the store is open, and nothing of it has to be durable:
 * without it, readers follow marks. Thread-safe.
 */
public final class EndsFile {
    private static final System.Logger LOG = System.getLogger("io.firn");
    private static final byte[] ZEROS = new byte[EndsFormat.PIECE_BYTES];

    private final FileMedium medium;
    private final Path path;
    private final List<Mapping> pieces = new ArrayList<>();
    private final Deque<Ends> free = new ArrayDeque<>();
    private final List<Ends> slots = new ArrayList<>();
    private final Consumer<String> findings;
    private ByteBuffer header;
    private final View view;
    private final AtomicBoolean isLost = new AtomicBoolean();
    private int next = EndsFormat.FIRST_SLOT;
    private boolean full;
    private boolean closed;

    private EndsFile(FileMedium medium, Path path, MediumFile file, Consumer<String> findings)
            throws IOException {
        this.medium = medium;
        this.path = path;
        this.findings = findings;
        this.header = grow(file);
        this.view = new View(header, handedOut -> pieces.forEach(Mapping::unmap));
    }

    /**
     * Keeps the file mapped until {@link #unpin}.
     *
     * @return false when the store is closed
     */
    public boolean pin() {
        return view.pin();
    }

    /** Removes a pin. */
    public void unpin() {
        view.unpin();
    }

    /**
     * Ends what a writer before has published, then makes a new file. Call it with the lock of the
     * store, before anything of the store is changed (O22).
     *
     * @param lock the lock file, held by this process
     * @param findings told when somebody else has truncated the file
     * @return null when readers cannot share a mapping with this process, or there is no space
     * @throws IOException when it is not certain that readers stop believing the last writer
     */
    public static EndsFile create(
            FileMedium medium, Path directory, UUID store, Path lock, Consumer<String> findings)
            throws IOException {
        UUID system = medium.runningSystem();
        if (system == null) {
            return null;
        }
        Path path = directory.resolve(EndsFormat.NAME);
        endLast(medium, path);
        try (MediumFile file = medium.create(path)) {
            EndsFile made = new EndsFile(medium, path, file, findings);
            made.begin(store, system, medium.holder(lock));
            return made;
        } catch (IOException | InternalError e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    path + " could not be made: readers in other processes see records late",
                    e);
            delete(medium, path);
            return null;
        }
    }

    /**
     * The term is overwritten where readers have mapped it, then the name is free. If a file system
     * that copies on write has no space for the one, readers notice the other a little later.
     */
    private static void endLast(FileMedium medium, Path path) throws IOException {
        if (!medium.exists(path)) {
            return;
        }
        try (MediumFile last = medium.open(path, true)) {
            if (last.size() >= EndsFormat.TERM + Long.BYTES) {
                last.write(EndsFormat.TERM, ZEROS, 0, Long.BYTES);
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, path + ": its term was not ended", e);
        }
        medium.delete(path);
    }

    private void begin(UUID store, UUID system, String holder) {
        byte[] text = holder == null ? new byte[0] : holder.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, EndsFormat.MOST_HOLDER_BYTES);
        header.put(EndsFormat.HOLDER, text, 0, length);
        EndsFormat.set(header, EndsFormat.HOLDER_LENGTH, length);
        EndsFormat.set(header, EndsFormat.MAGIC_AT, EndsFormat.MAGIC);
        EndsFormat.set(header, EndsFormat.VERSION_AT, EndsFormat.VERSION);
        EndsFormat.set(header, EndsFormat.STORE, store.getMostSignificantBits());
        EndsFormat.set(header, EndsFormat.STORE + 8, store.getLeastSignificantBits());
        EndsFormat.set(header, EndsFormat.SYSTEM, system.getMostSignificantBits());
        EndsFormat.set(header, EndsFormat.SYSTEM + 8, system.getLeastSignificantBits());
        long term = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        EndsFormat.set(header, EndsFormat.TERM, term); // last: the rest is complete
    }

    /** Adds a piece. Zeros are written, because a store into a hole may find no space (O17). */
    private ByteBuffer grow(MediumFile file) throws IOException {
        long at = (long) pieces.size() * EndsFormat.PIECE_BYTES;
        file.write(at, ZEROS, 0, ZEROS.length);
        Mapping piece = file.map(MapMode.READ_WRITE, at, EndsFormat.PIECE_BYTES);
        pieces.add(piece);
        ByteBuffer first = pieces.get(0).buffer();
        EndsFormat.set(first, EndsFormat.SLOTS, (long) pieces.size() * EndsFormat.SLOTS_IN_PIECE);
        return first;
    }

    /**
     * Publishes a partition.
     *
     * @return null when there is no space for it, or the store is closed
     */
    public synchronized Ends assign(UUID topic, int partition, Ends.State state) {
        if (closed || isLost.get()) {
            return null;
        }
        try {
            // The one that was released first: whoever still stores there has had the longest time.
            Ends slot = free.poll();
            if (slot == null) {
                slot = add();
            }
            if (slot != null) {
                slot.assign(topic, partition, state);
                onTopics();
            }
            return slot;
        } catch (InternalError e) {
            lost(e);
            return null;
        }
    }

    /** No file is kept open meanwhile; another one may have the name by now. */
    private void growAgain() throws IOException {
        try (MediumFile file = medium.open(path, true)) {
            if (termIn(file) != EndsFormat.get(header, EndsFormat.TERM)) {
                throw new IOException(path + " was replaced by another file");
            }
            grow(file);
        }
    }

    /** Returns the term that a file has, 0 for one that is too short. */
    private static long termIn(MediumFile file) throws IOException {
        byte[] found = new byte[Long.BYTES];
        int length = file.read(EndsFormat.TERM, found, 0, found.length);
        ByteBuffer word = ByteBuffer.wrap(found).order(ByteOrder.nativeOrder());
        return length < found.length ? 0 : word.getLong(0);
    }

    private Ends add() {
        if (EndsFormat.pieceOf(next) == pieces.size()) {
            try {
                if (full) {
                    return null;
                }
                growAgain();
            } catch (IOException e) {
                full = true;
                LOG.log(
                        System.Logger.Level.WARNING,
                        path + " could not grow: new partitions are seen late in other processes",
                        e);
                return null;
            }
        }
        Ends slot = new Ends(this, pieces.get(EndsFormat.pieceOf(next)).buffer(), next);
        slots.add(slot);
        next++;
        return slot;
    }

    /** Publishes that a partition is gone. Nobody appends to it or forces it any more. */
    public synchronized void release(Ends slot) {
        if (closed) {
            return;
        }
        try {
            slot.clear();
            free.add(slot);
            onTopics();
        } catch (InternalError e) {
            lost(e);
        }
    }

    /** Publishes that topics were created, changed or deleted. */
    public synchronized void onTopics() {
        if (closed) {
            return;
        }
        try {
            EndsFormat.increment(header, EndsFormat.TOPIC_CHANGES);
            changed();
        } catch (InternalError e) {
            lost(e);
        }
    }

    /** Publishes that a slot says that something changed. */
    synchronized void changed() {
        if (!closed) {
            EndsFormat.increment(header, EndsFormat.CHANGES);
        }
    }

    /**
     * Looks whether somebody has truncated the file. If so, nothing is stored there any more: what
     * comes late of such stores would be taken for a failure of the log.
     *
     * @return whether it is truncated
     */
    public boolean isLost() {
        if (!isLost.get()) {
            long expected;
            synchronized (this) {
                expected = closed ? 0 : (long) pieces.size() * EndsFormat.PIECE_BYTES;
            }
            long found = length(expected);
            if (found < expected) {
                stop("it has " + found + " bytes, expected were " + expected);
            }
        }
        return isLost.get();
    }

    /** The file. */
    public Path path() {
        return path;
    }

    /** Returns what is expected when it is not known: a file that was deleted stays mapped. */
    private long length(long expected) {
        try (MediumFile file = medium.open(path, false)) {
            return file.size();
        } catch (IOException e) {
            return expected;
        }
    }

    /**
     * A store has failed. The error may be one of another mapping that is reported late: then it is
     * thrown.
     */
    public void lost(InternalError why) {
        if (!isLost()) {
            throw why;
        }
    }

    private void stop(String found) {
        if (!isLost.compareAndSet(false, true)) {
            return;
        }
        synchronized (this) {
            ByteBuffer nobodyReads =
                    ByteBuffer.allocateDirect(EndsFormat.PIECE_BYTES).alignedSlice(Long.BYTES);
            header = nobodyReads;
            slots.forEach(slot -> slot.publishInto(nobodyReads));
        }
        findings.accept(
                path
                        + " was truncated while the store is open ("
                        + found
                        + "): readers in other processes see records late until the store is"
                        + " opened again; records and appends are not affected");
    }

    /**
     * Ends the term. Readers that follow the ends now follow marks. The file is unmapped when
     * nobody pins it; nobody else may publish any more. Idempotent.
     */
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            boolean isMine = hasMyName();
            EndsFormat.set(header, EndsFormat.TERM, 0);
            if (isMine) {
                delete(medium, path);
            }
        } catch (IOException | InternalError e) {
            LOG.log(System.Logger.Level.DEBUG, path + " was not deleted", e);
        }
        view.leave();
    }

    /** Whether the file of this name is the one that is mapped, before its term is ended. */
    private boolean hasMyName() throws IOException {
        try (MediumFile file = medium.open(path, false)) {
            return termIn(file) == EndsFormat.get(header, EndsFormat.TERM);
        }
    }

    private static void delete(FileMedium medium, Path path) {
        try {
            medium.delete(path);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, path + " was not deleted", e);
        }
    }

    @Override
    public String toString() {
        return path + Arrays.asList(next, full).toString();
    }
}
