package io.firn.follow;

import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.medium.FileMedium;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.medium.GuardedLog;
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
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One file with published offsets, as its writer has it mapped. {@link PublishedOffsetsFile} makes
 * another one when a program has truncated, removed or overwritten it. Not thread-safe.
 */
final class PublishedOffsetsPages {
    private static final GuardedLog LOG = GuardedLog.get();
    private static final byte[] ZEROS = new byte[PublishedOffsetsFormat.PIECE_BYTES];

    private final FileMedium medium;
    private final Path path;
    private final long term = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    private final List<Mapping> pieces = new ArrayList<>();

    /** Null when the medium does not know. */
    private Object identityOfFile;

    private long looks;

    /** Whose the file is, as readers check it. */
    record Identity(PublishedOffsetsFile.Writer writer, UUID system) {}

    private PublishedOffsetsPages(FileMedium medium, Path path) {
        this.medium = medium;
        this.path = path;
    }

    /**
     * Creates a file that readers do not believe before {@link #beginTerm}.
     *
     * @param count how many pieces it has
     * @throws IOException when there is no space; there is no file then
     */
    static PublishedOffsetsPages create(FileMedium medium, Path path, int count, Identity identity)
            throws IOException {
        PublishedOffsetsPages made = new PublishedOffsetsPages(medium, path);
        try (MediumFile file = medium.create(path)) {
            for (int i = 0; i < count; i++) {
                made.grow(file);
            }
            made.identityOfFile = medium.identityOf(path);
            made.sign(identity);
            return made;
        } catch (IOException | InternalError e) {
            made.unmap();
            medium.delete(path);
            throw e instanceof IOException failure ? failure : new IOException(e);
        }
    }

    private void sign(Identity identity) {
        String holder = identity.writer.holder();
        byte[] text = (holder == null ? "" : holder).getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, PublishedOffsetsFormat.MOST_HOLDER_BYTES);
        ByteBuffer header = header();
        header.put(PublishedOffsetsFormat.HOLDER, text, 0, length);
        signAsOwner(identity.writer.lock());
        PublishedOffsetsFormat.set(header, PublishedOffsetsFormat.HOLDER_LENGTH, length);
        PublishedOffsetsFormat.set(
                header, PublishedOffsetsFormat.MAGIC_AT, PublishedOffsetsFormat.MAGIC);
        PublishedOffsetsFormat.set(
                header, PublishedOffsetsFormat.VERSION_AT, PublishedOffsetsFormat.VERSION);
        PublishedOffsetsFormat.set(
                header,
                PublishedOffsetsFormat.STORE,
                identity.writer.store().getMostSignificantBits());
        PublishedOffsetsFormat.set(
                header,
                PublishedOffsetsFormat.STORE + 8,
                identity.writer.store().getLeastSignificantBits());
        PublishedOffsetsFormat.set(
                header, PublishedOffsetsFormat.SYSTEM, identity.system.getMostSignificantBits());
        PublishedOffsetsFormat.set(
                header,
                PublishedOffsetsFormat.SYSTEM + 8,
                identity.system.getLeastSignificantBits());
    }

    /** For the next writer; a text that is too long says nothing. */
    private void signAsOwner(MediumLock lock) {
        String owner =
                PriorWriter.describe(medium, lock, identityOfFile, path.getParent(), "unknown");
        byte[] text = owner.getBytes(StandardCharsets.UTF_8);
        if (text.length <= PublishedOffsetsFormat.MOST_OWNER_BYTES) {
            header().put(PublishedOffsetsFormat.OWNER, text, 0, text.length);
            PublishedOffsetsFormat.set(header(), PublishedOffsetsFormat.OWNER_LENGTH, text.length);
        }
    }

    /**
     * Removes the last file: its term is overwritten where readers have mapped it, then the name is
     * free. If a file system that copies on write has no space for the one, readers notice the
     * other a little later.
     */
    static void remove(FileMedium medium, Path path) throws IOException {
        if (!medium.exists(path)) {
            return;
        }
        try (MediumFile last = medium.open(path, true)) {
            if (isOfOffsets(last)) {
                last.write(PublishedOffsetsFormat.TERM, ZEROS, 0, Long.BYTES);
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, path + ": its term was not ended", e);
        }
        medium.delete(path);
    }

    /** Lets readers believe the file; the rest of it is complete. */
    void beginTerm() {
        PublishedOffsetsFormat.set(header(), PublishedOffsetsFormat.TERM, term);
    }

    /** Whether the term in the mapping is still the one of {@link #beginTerm}. */
    boolean hasTerm() {
        return PublishedOffsetsFormat.get(header(), PublishedOffsetsFormat.TERM) == term;
    }

    ByteBuffer header() {
        return piece(0);
    }

    ByteBuffer piece(int number) {
        return pieces.get(number).buffer();
    }

    /** Returns for how many slots there is space, the header's included. */
    int slots() {
        return pieces.size() * PublishedOffsetsFormat.SLOTS_IN_PIECE;
    }

    /** Adds a piece. No file is kept open meanwhile; another one may have the name by now. */
    void grow() throws IOException {
        try (MediumFile file = medium.open(path, true)) {
            if (termIn(file) != term) {
                throw new IOException(path + " was replaced by another file");
            }
            grow(file);
        }
    }

    /** Zeros are written, because a store into a hole may find no space (O17). */
    private void grow(MediumFile file) throws IOException {
        long at = (long) pieces.size() * PublishedOffsetsFormat.PIECE_BYTES;
        file.write(at, ZEROS, 0, ZEROS.length);
        pieces.add(file.map(MapMode.READ_WRITE, at, PublishedOffsetsFormat.PIECE_BYTES));
        PublishedOffsetsFormat.set(header(), PublishedOffsetsFormat.SLOTS, slots());
    }

    /** Whether it is a file with published offsets, of any version. */
    static boolean isOfOffsets(MediumFile file) throws IOException {
        return wordIn(file, PublishedOffsetsFormat.MAGIC_AT) == PublishedOffsetsFormat.MAGIC
                && file.size() >= PublishedOffsetsFormat.TERM + Long.BYTES;
    }

    private static long termIn(MediumFile file) throws IOException {
        return wordIn(file, PublishedOffsetsFormat.TERM);
    }

    /** Reads a word by a call; 0 if the file is too short. */
    private static long wordIn(MediumFile file, int at) throws IOException {
        byte[] found = new byte[Long.BYTES];
        int length = file.read(at, found, 0, found.length);
        ByteBuffer word = ByteBuffer.wrap(found).order(ByteOrder.nativeOrder());
        return length < found.length ? 0 : word.getLong(0);
    }

    /**
     * Whether one call tells that nothing was done to the file; otherwise {@link #cut} and {@link
     * #wrong} look at what is in it. This looks each second, and a file that is opened by code that
     * runs so rarely keeps a processor for a millisecond.
     */
    boolean isAsMade() {
        try {
            FileMedium.FileStatus now = medium.statusOf(path);
            return now != null
                    && identityOfFile != null
                    && identityOfFile.equals(now.identity())
                    && now.bytes() >= (long) pieces.size() * PublishedOffsetsFormat.PIECE_BYTES
                    && hasTerm();
        } catch (IOException | InternalError e) {
            return false; // the others tell why
        }
    }

    /**
     * Looks how much of the file is missing.
     *
     * @return null when pages that are mapped are there, as far as is known
     */
    String cut() {
        try (MediumFile file = medium.open(path, false)) {
            long expected = (long) pieces.size() * PublishedOffsetsFormat.PIECE_BYTES;
            return file.size() < expected
                    ? "was truncated while the store is open (it has "
                            + file.size()
                            + " bytes, expected were "
                            + expected
                            + ")"
                    : null;
        } catch (IOException e) {
            return null; // a file that was deleted stays mapped
        }
    }

    /**
     * Looks whether readers still find the file. Its term is not enough: a copy has it, too.
     *
     * @return null when they do, as far as is known
     */
    String wrong() {
        try (MediumFile file = medium.open(path, false)) {
            PublishedOffsetsFormat.set(header(), PublishedOffsetsFormat.LOOKS, ++looks);
            boolean isMine =
                    termIn(file) == term && wordIn(file, PublishedOffsetsFormat.LOOKS) == looks;
            return isMine ? null : "was replaced while the store is open";
        } catch (NoSuchFileException e) {
            return "was removed while the store is open";
        } catch (IOException e) {
            return OutOfDescriptorsException.isReasonFor(e)
                    ? null
                    : "cannot be read any more (" + e.getMessage() + ")";
        }
    }

    /**
     * Ends the term of a file that was lost. A reader whose pages are there would otherwise wait
     * for ends that are not published.
     *
     * @param isWhole whether the mapping can be used; it may have no name any more
     */
    void endTermEverywhere(boolean isWhole) {
        try (MediumFile file = medium.open(path, true)) {
            if (termIn(file) == term) {
                file.write(PublishedOffsetsFormat.TERM, ZEROS, 0, Long.BYTES);
            }
        } catch (NoSuchFileException e) {
            // Then it is in the mapping only.
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, path + ": its term was not ended", e);
        }
        try {
            if (isWhole) {
                endTerm();
            }
        } catch (InternalError e) {
            LOG.log(System.Logger.Level.DEBUG, path + " was removed and truncated", e);
        }
    }

    /** Ends the term where readers have the file mapped. */
    void endTerm() {
        PublishedOffsetsFormat.set(header(), PublishedOffsetsFormat.TERM, 0);
    }

    void unmap() {
        pieces.forEach(Mapping::unmap);
    }
}
