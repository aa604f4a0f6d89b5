package io.firn.follow;

import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The readers' side of the file in which a writer in another process publishes its offsets. It is
 * believed while its term lasts, its writer holds the store's lock, and both run on one system
 * (O22). Nothing in it is changed. {@link #isLive} and the {@link FollowedOffsets} are for any
 * thread, the rest for one at a time.
 */
public final class FollowedOffsetsFile {
    private final FileMedium medium;
    private final Path path;
    private final Path lock;
    private final long term;
    private final String holder;
    private final List<Mapping> pieces = new ArrayList<>();
    private final ByteBuffer header;
    private final Map<Owner, Integer> slots = new HashMap<>();
    private long topicChanges = -1;

    /** Of the file that is mapped; null when that is not certain. */
    private Object identity;

    private volatile boolean closed;

    /** Whose a slot is. */
    record Owner(long topicHigh, long topicLow, long partition) {}

    private FollowedOffsetsFile(FileMedium medium, Path path, Path lock, Mapping first) {
        this.medium = medium;
        this.path = path;
        this.lock = lock;
        pieces.add(first);
        this.header = first.buffer();
        this.term = PublishedOffsetsFormat.get(header, PublishedOffsetsFormat.TERM);
        this.holder = holderIn(header);
    }

    /**
     * Maps the file if what is in it may be believed.
     *
     * @param lock the lock file of the writer
     * @return null when there is no such file, or its writer is not there
     * @throws IOException when the file cannot be read
     */
    public static FollowedOffsetsFile open(FileMedium medium, Path directory, UUID store, Path lock)
            throws IOException {
        UUID system = medium.runningSystem();
        Path path = directory.resolve(PublishedOffsetsFormat.NAME);
        if (system == null || !medium.exists(path)) {
            return null;
        }
        Object before = identityOf(medium, path);
        Mapping first = mapPiece(medium, path, 0);
        if (first == null) {
            return null;
        }
        boolean kept = false;
        try {
            if (isOurs(first.buffer(), store, system)) {
                FollowedOffsetsFile seen = new FollowedOffsetsFile(medium, path, lock, first);
                kept = seen.isWritersThere();
                seen.identity =
                        before != null && before.equals(identityOf(medium, path)) ? before : null;
                return kept ? seen : null;
            }
            return null;
        } catch (InternalError e) {
            throw new IOException(path + " was truncated", e);
        } finally {
            if (!kept) {
                first.unmap();
            }
        }
    }

    /** Returns null when it is not known, also because there is no such file. */
    private static Object identityOf(FileMedium medium, Path path) throws IOException {
        try {
            return medium.identityOf(path);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static Mapping mapPiece(FileMedium medium, Path path, int piece) throws IOException {
        long at = (long) piece * PublishedOffsetsFormat.PIECE_BYTES;
        try (MediumFile file = medium.open(path, false)) {
            return file.size() < at + PublishedOffsetsFormat.PIECE_BYTES
                    ? null
                    : file.map(MapMode.READ_ONLY, at, PublishedOffsetsFormat.PIECE_BYTES);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static boolean isOurs(ByteBuffer header, UUID store, UUID system) {
        return PublishedOffsetsFormat.get(header, PublishedOffsetsFormat.TERM) > 0
                && PublishedOffsetsFormat.get(header, PublishedOffsetsFormat.MAGIC_AT)
                        == PublishedOffsetsFormat.MAGIC
                && PublishedOffsetsFormat.get(header, PublishedOffsetsFormat.VERSION_AT)
                        == PublishedOffsetsFormat.VERSION
                && store.equals(idAt(header, PublishedOffsetsFormat.STORE))
                && system.equals(idAt(header, PublishedOffsetsFormat.SYSTEM));
    }

    private static UUID idAt(ByteBuffer header, int at) {
        return new UUID(
                PublishedOffsetsFormat.get(header, at), PublishedOffsetsFormat.get(header, at + 8));
    }

    private static String holderIn(ByteBuffer header) {
        long length = PublishedOffsetsFormat.get(header, PublishedOffsetsFormat.HOLDER_LENGTH);
        if (length < 0 || length > PublishedOffsetsFormat.MOST_HOLDER_BYTES) {
            return "";
        }
        byte[] text = new byte[(int) length];
        header.get(PublishedOffsetsFormat.HOLDER, text);
        return new String(text, StandardCharsets.UTF_8).strip();
    }

    /** Returns whether the term lasts, so that what was read before this call may be believed. */
    public boolean isLive() {
        return !closed && PublishedOffsetsFormat.get(header, PublishedOffsetsFormat.TERM) == term;
    }

    /**
     * Returns whether the writer that made the file still holds the lock of the store, and the file
     * is still the one that readers find. A process that was killed does not end its term.
     */
    public boolean isWritersThere() throws IOException {
        String now = medium.holder(lock);
        if (now == null || !now.strip().equals(holder) || holder.isEmpty()) {
            return false;
        }
        if (identity != null && identity.equals(identityOf(medium, path))) {
            return isLive(); // what is mapped is the file's
        }
        byte[] found = new byte[Long.BYTES];
        try (MediumFile file = medium.open(path, false)) {
            if (file.read(PublishedOffsetsFormat.TERM, found, 0, found.length) < found.length) {
                return false;
            }
        } catch (NoSuchFileException e) {
            return false;
        }
        ByteBuffer word = ByteBuffer.wrap(found).order(ByteOrder.nativeOrder());
        return word.getLong(0) == term && isLive();
    }

    /** Returns a number that grows with each change but that of an end. */
    public long changes() {
        return PublishedOffsetsFormat.get(header, PublishedOffsetsFormat.CHANGES);
    }

    /** Returns a number that grows when topics are created, changed or deleted. */
    public long topicChanges() {
        return PublishedOffsetsFormat.get(header, PublishedOffsetsFormat.TOPIC_CHANGES);
    }

    /**
     * Returns the offsets of a partition.
     *
     * @return null when the writer does not publish it
     */
    public FollowedOffsets find(UUID topic, int partition) throws IOException {
        long now = topicChanges();
        if (now != topicChanges) {
            readSlots();
            topicChanges = now; // of before they were read
        }
        Owner owner =
                new Owner(
                        topic.getMostSignificantBits(), topic.getLeastSignificantBits(), partition);
        Integer slot = slots.get(owner);
        return slot == null
                ? null
                : new FollowedOffsets(
                        this,
                        pieces.get(PublishedOffsetsFormat.pieceOf(slot)).buffer(),
                        slot,
                        owner);
    }

    private void readSlots() throws IOException {
        long count = PublishedOffsetsFormat.get(header, PublishedOffsetsFormat.SLOTS);
        int before = pieces.size();
        slots.clear();
        for (int slot = PublishedOffsetsFormat.FIRST_SLOT; slot < count; slot++) {
            int piece = PublishedOffsetsFormat.pieceOf(slot);
            if (piece == pieces.size()) {
                Mapping next = mapPiece(medium, path, piece);
                if (next == null) {
                    return;
                }
                pieces.add(next);
            }
            ByteBuffer bytes = pieces.get(piece).buffer();
            slots.put(ownerOf(bytes, PublishedOffsetsFormat.placeInPiece(slot)), slot);
        }
        if (pieces.size() > before && !isWritersThere()) {
            slots.clear(); // what was mapped may be of another file
        }
    }

    static Owner ownerOf(ByteBuffer bytes, int at) {
        return new Owner(
                PublishedOffsetsFormat.get(bytes, at + PublishedOffsetsFormat.TOPIC),
                PublishedOffsetsFormat.get(bytes, at + PublishedOffsetsFormat.TOPIC + 8),
                PublishedOffsetsFormat.get(bytes, at + PublishedOffsetsFormat.PARTITION));
    }

    /** Unmaps the file; threads that read it meanwhile find no end. Idempotent. */
    public void close() {
        closed = true;
        pieces.forEach(Mapping::abandon);
    }
}
