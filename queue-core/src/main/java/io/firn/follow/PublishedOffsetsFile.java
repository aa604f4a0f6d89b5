package io.firn.follow;

import io.firn.log.PublishedOffsets;
import io.firn.log.PublishedOffsets.OffsetPublisher;
import io.firn.medium.FileMedium;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.medium.GuardedLog;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.annotation.concurrent.GuardedBy;

/**
 * The writer's side of the file in which it publishes the offsets of its partitions ({@link
 * PublishedOffsetsFormat}). The file lives as long as the store is open, and nothing of it has to
 * be durable: without it, readers follow marks. Thread-safe.
 *
 * <p>When a program truncates, removes or replaces the file, nothing is stored there any more, and
 * {@link #check} makes another one: it lets the slots publish into the new file, has each log
 * publish all of itself again, and then begins a new term. A thread that is appending or forcing
 * meanwhile may store one end into the old file, or have a newer one overwritten by what the log
 * publishes again. So from then on each check also looks for ends that are too low ({@link
 * OffsetSlot.Log#publishMissed}).
 */
public final class PublishedOffsetsFile implements PublishedOffsets {
    private static final GuardedLog LOG = GuardedLog.get();

    /** The name of the file in the directory of its store. */
    public static final String NAME = PublishedOffsetsFormat.NAME;

    /**
     * Each file that was lost stays mapped, and may occupy its space, until the store is closed.
     */
    static final int MOST_RENEWALS = 8;

    private final FileMedium medium;
    private final Path path;
    private final PublishedOffsetsPages.Identity identity;
    private final Consumer<String> findings;
    private final View view;

    /** For slots while there is no file that readers believe. */
    private final ByteBuffer nobodyReads =
            ByteBuffer.allocateDirect(PublishedOffsetsFormat.PIECE_BYTES).alignedSlice(Long.BYTES);

    /** The last one is in use, unless {@link #lost} says what is wrong with it. */
    @GuardedBy("this")
    private final List<PublishedOffsetsPages> files = new ArrayList<>();

    @GuardedBy("this")
    private final Deque<OffsetSlot> free = new ArrayDeque<>();

    @GuardedBy("this")
    private final List<OffsetSlot> slots = new ArrayList<>();

    @GuardedBy("this")
    private boolean full;

    @GuardedBy("this")
    private boolean closed;

    /** The file in which the next writer would overwrite the term; null when there is none. */
    private volatile PublishedOffsetsPages believed;

    private volatile String lost;
    private volatile boolean wasTruncated;
    private int renewals; // only check() uses it

    /**
     * The process that publishes.
     *
     * @param lock of the store, which it holds
     * @param holder what the lock's file says of the process; null for nothing
     */
    public record Writer(UUID store, MediumLock lock, String holder) {}

    private PublishedOffsetsFile(
            FileMedium medium,
            Path path,
            PublishedOffsetsPages.Identity identity,
            Consumer<String> findings)
            throws IOException {
        this.medium = medium;
        this.path = path;
        this.identity = identity;
        this.findings = findings;
        PublishedOffsetsPages first = PublishedOffsetsPages.create(medium, path, 1, identity);
        first.beginTerm();
        files.add(first);
        this.believed = first;
        this.view = new View(first.header(), handedOut -> unmap());
    }

    private synchronized void unmap() {
        files.forEach(PublishedOffsetsPages::unmap);
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
     * @param writer this process
     * @param findings called when another program has truncated, removed or replaced the file
     * @return null when readers cannot share a mapping with this process, or there is no space
     * @throws io.firn.StoreLockedException when the writer before runs, or may run: its lock file
     *     was deleted or replaced
     * @throws IOException when it is not certain that readers stop believing the last writer
     */
    public static PublishedOffsetsFile create(
            FileMedium medium, Path directory, Writer writer, Consumer<String> findings)
            throws IOException {
        UUID system = medium.runningSystem();
        if (system == null) {
            return null;
        }
        Path path = directory.resolve(PublishedOffsetsFormat.NAME);
        PriorWriter prior = PriorWriter.read(medium, path);
        if (prior != null) {
            prior.requireGone(medium, path, writer.store, writer.lock);
        }
        PublishedOffsetsPages.remove(medium, path);
        try {
            return new PublishedOffsetsFile(
                    medium, path, new PublishedOffsetsPages.Identity(writer, system), findings);
        } catch (IOException e) {
            findings.accept(
                    path
                            + " could not be made ("
                            + e.getMessage()
                            + "): readers in other processes see records late until the store is"
                            + " opened again");
            return null;
        }
    }

    @GuardedBy("this")
    private PublishedOffsetsPages pages() {
        return files.get(files.size() - 1);
    }

    /** Returns where a slot is published, which is nowhere while the file is lost. */
    @GuardedBy("this")
    private ByteBuffer bytesOf(int slot) {
        return lost == null ? pages().piece(PublishedOffsetsFormat.pieceOf(slot)) : nobodyReads;
    }

    @Override
    public OffsetPublisher publish(UUID topic, int partition, Supplier<OffsetPublisher.State> now) {
        return PublishedLog.of(this, topic, partition, now);
    }

    /**
     * Publishes a partition.
     *
     * @param log publishes it again when the file is made again
     * @return null when there is no space for it, or the store is closed
     */
    public synchronized OffsetSlot assign(
            UUID topic, int partition, OffsetPublisher.State state, OffsetSlot.Log log) {
        if (closed) {
            return null;
        }
        // The one that was released first: a thread that still stores there has had the longest
        // time.
        OffsetSlot slot = free.poll();
        if (slot == null) {
            slot = add();
        }
        if (slot == null) {
            return null;
        }
        slot.assign(topic, partition, log);
        try {
            slot.publish(state);
            topicsChanged();
        } catch (InternalError e) {
            lost(e);
        }
        return slot;
    }

    @GuardedBy("this")
    private OffsetSlot add() {
        int next = PublishedOffsetsFormat.FIRST_SLOT + slots.size();
        if (lost == null && next >= pages().slots() && !grow()) {
            return null;
        }
        OffsetSlot slot = new OffsetSlot(this, bytesOf(next), next);
        slots.add(slot);
        return slot;
    }

    @GuardedBy("this")
    private boolean grow() {
        try {
            if (!full) {
                pages().grow();
                return true;
            }
        } catch (IOException e) {
            full = true;
            findings.accept(
                    path
                            + " could not grow ("
                            + e.getMessage()
                            + "): new partitions are seen late in other processes until the store"
                            + " is opened again");
        }
        return false;
    }

    /** Publishes that a partition is gone. It is not appended to or forced any more. */
    public synchronized void release(OffsetSlot slot) {
        if (closed) {
            return;
        }
        slot.release();
        free.add(slot);
        try {
            slot.clear();
            topicsChanged();
        } catch (InternalError e) {
            lost(e);
        }
    }

    @Override
    public synchronized void topicsChanged() {
        if (closed) {
            return;
        }
        try {
            PublishedOffsetsFormat.increment(bytesOf(0), PublishedOffsetsFormat.TOPIC_CHANGES);
            changed();
        } catch (InternalError e) {
            lost(e);
        }
    }

    /** Publishes that a slot says that something changed. */
    synchronized void changed() {
        if (!closed) {
            PublishedOffsetsFormat.increment(bytesOf(0), PublishedOffsetsFormat.CHANGES);
        }
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public boolean hasTerm() {
        PublishedOffsetsPages now = believed;
        try {
            return now != null && now.hasTerm();
        } catch (InternalError e) {
            lost(e);
            return false;
        }
    }

    // ---- when another program changes the file

    @Override
    public boolean wasTruncated() {
        if (!wasTruncated && lost == null) {
            look();
        }
        return wasTruncated;
    }

    /**
     * A store has failed. The error may be one of another mapping that is reported late: then it is
     * thrown.
     */
    public void lost(InternalError why) {
        if (!wasTruncated()) {
            throw why;
        }
    }

    /** Publishes nothing any more if something is wrong with the file. */
    private synchronized void look() {
        if (closed || lost != null || pages().isAsMade()) {
            return;
        }
        String cut = pages().cut();
        lost = cut == null ? pages().wrong() : cut;
        if (lost != null) {
            wasTruncated |= cut != null;
            believed = null;
            slots.forEach(slot -> slot.publishInto(nobodyReads));
            pages().endTermEverywhere(cut == null);
        }
    }

    @Override
    public void check() {
        look();
        String wrong = lost;
        if (identity.writer().lock.lost() != null) {
            return; // what has the name may be another writer's
        }
        if (wrong != null) {
            findings.accept(path + " " + wrong + ": " + renew());
        } else if (renewals > 0) {
            slots().forEach(OffsetSlot::publishMissed);
        }
    }

    private synchronized List<OffsetSlot> slots() {
        return closed ? List.of() : List.copyOf(slots);
    }

    /** Makes the file again; returns what became of it. */
    private String renew() {
        String late =
                "; readers in other processes see records late until the store is opened again;"
                        + " records and appends are not affected";
        if (renewals == MOST_RENEWALS) {
            return "it was made again " + renewals + " times, and is not any more" + late;
        }
        try {
            PublishedOffsetsPages.remove(medium, path);
            PublishedOffsetsPages made = install();
            slots().forEach(OffsetSlot::publishAgain);
            begin(made); // then: readers look once who has which slot
            renewals++;
            return "it was made again; readers in other processes saw records late meanwhile;"
                    + " records and appends are not affected";
        } catch (IOException e) {
            return "it could not be made again (" + e.getMessage() + ")" + late;
        }
    }

    /** Lets all slots publish into another file, which readers do not believe yet. */
    private synchronized PublishedOffsetsPages install() throws IOException {
        if (closed) {
            throw new IOException("the store is closed");
        }
        int most = PublishedOffsetsFormat.FIRST_SLOT + slots.size();
        PublishedOffsetsPages made =
                PublishedOffsetsPages.create(
                        medium, path, PublishedOffsetsFormat.pieceOf(most) + 1, identity);
        files.add(made);
        full = false;
        lost = null;
        for (OffsetSlot slot : slots) {
            slot.publishInto(bytesOf(slot.slot()));
            slot.clear();
        }
        return made;
    }

    @SuppressWarnings("ReferenceEquality") // this very file
    private synchronized void begin(PublishedOffsetsPages made) {
        if (!closed && lost == null && pages() == made) {
            made.beginTerm();
            believed = made;
        }
    }

    /**
     * Ends the term. Readers that follow the offsets now follow marks. The file is unmapped when it
     * is not pinned; no other thread may publish any more. Idempotent.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        believed = null;
        try {
            if (lost == null) {
                boolean isMine = pages().wrong() == null;
                pages().endTerm();
                if (isMine) {
                    medium.delete(path);
                }
            }
        } catch (IOException | InternalError e) {
            LOG.log(System.Logger.Level.DEBUG, path + " was not deleted", e);
        }
        view.leave();
    }

    @Override
    public synchronized String toString() {
        return path + " with " + slots.size() + " slots";
    }
}
