package io.firn.tx;

import io.firn.Transaction.State;
import io.firn.host.ProducerIdentity;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * All that the journal says of one producer, but for {@link AddedCommits}. The last entry of a
 * producer counts. The number of a decision is the offset of the entry that says it first; in that
 * entry it is {@link #SELF}.
 *
 * <pre>
 *  | version (1) | id (8) | epoch (2) | timeoutMs (4) | lastUsedMs (8) | state (1) |
 *  | endedId (8) | endedEpoch (2) |
 *  | count (4) | { topic (16) | partition (4) | commit (1) | id (8) | epoch (2) | end (8) } … |
 *  | count (4) | { topic (16) | cursor (2 + n) | partition (4) | offset (8) | decision (8) } … |
 *  | count (4) | cursor commits of the open transaction, in the same form                      |
 * </pre>
 *
 * <p>In version 2, which is written only if a commit has a note, each ends with its note: length
 * (4), −1 for none, and UTF-8. In version 4, which is written only if an offset is outside the log
 * ({@link CursorCommit#isOutside}), a byte follows that says whether it is.
 *
 * @param id the producer's id
 * @param epoch its epoch
 * @param timeoutMs after which an open transaction is aborted; 0 for an unnamed producer
 * @param lastUsedMs when it was used last, in ms since 1970
 * @param state what it does; {@code ONGOING} only if commits of the open transaction are in it
 * @param endedId the id with which the last transaction was ended; −1 when there is none
 * @param endedEpoch the epoch with which the last transaction was ended
 * @param markers partitions that may not have a durable marker yet
 * @param commits cursor commits that may not be in the file of a cursor yet
 * @param openCommits cursor commits of the open transaction
 */
record JournalEntry(
        long id,
        int epoch,
        int timeoutMs,
        long lastUsedMs,
        State state,
        long endedId,
        int endedEpoch,
        List<MarkerToWrite> markers,
        List<CursorCommit> commits,
        List<CursorCommit> openCommits) {
    /** The number of a decision that is the offset of the entry itself. */
    static final long SELF = -2;

    private static final int VERSION = 1;
    private static final int WITH_NOTES = 2;
    private static final int WITH_OUTSIDE = 4; // 3 is that of AddedCommits
    private static final int NO_NOTE = -1;
    static final int FIXED_BYTES = 46;
    private static final int MARKER_BYTES = 39;

    /** Of a cursor commit without its cursor's name and its note. */
    private static final int COMMIT_BYTES = 38;

    byte[] encode() {
        int version = Math.max(versionFor(commits), versionFor(openCommits));
        EntryWriter out = new EntryWriter(sizeBytes(version));
        out.putByte(version);
        out.putLong(id);
        out.putShort(epoch);
        out.putInt(timeoutMs);
        out.putLong(lastUsedMs);
        out.putByte(state.ordinal());
        out.putLong(endedId);
        out.putShort(endedEpoch);
        out.putInt(markers.size());
        for (MarkerToWrite each : markers) {
            out.putId(each.topicId());
            out.putInt(each.partition());
            out.putByte(each.isCommit() ? 1 : 0);
            out.putLong(each.producerId());
            out.putShort(each.epoch());
            out.putLong(each.end());
        }
        write(out, commits, version);
        write(out, openCommits, version);
        return out.bytes();
    }

    /**
     * Returns how much partitions and cursor commits add to an entry at most.
     *
     * @param commitBytes the bytes of the commits, by {@link #mostBytes(CursorCommit)}
     */
    static long mostBytes(int partitions, long commitBytes) {
        return (long) MARKER_BYTES * partitions + commitBytes;
    }

    /** Returns how many bytes a cursor commit takes in an entry at most. */
    static int mostBytes(CursorCommit commit) {
        int note =
                commit.note() == null ? 0 : EntryWriter.sizeOf(commit.note()); // at least UTF-8's
        return COMMIT_BYTES + EntryWriter.sizeOf(commit.cursor()) + Integer.BYTES + note + 1;
    }

    static long mostBytes(List<CursorCommit> commits) {
        long bytes = 0;
        for (CursorCommit each : commits) {
            bytes += mostBytes(each);
        }
        return bytes;
    }

    private int sizeBytes(int version) {
        return FIXED_BYTES
                + MARKER_BYTES * markers.size()
                + sizeBytes(commits, version)
                + sizeBytes(openCommits, version)
                - 2 * Integer.BYTES;
    }

    /** Returns what a list of commits takes, with its length. */
    static int sizeBytes(List<CursorCommit> commits, int version) {
        int size = Integer.BYTES;
        for (CursorCommit each : commits) {
            size += COMMIT_BYTES + EntryWriter.sizeOf(each.cursor());
            if (version != VERSION) {
                size += Integer.BYTES + bytesOf(each.note()).length;
            }
            if (version == WITH_OUTSIDE) {
                size++;
            }
        }
        return size;
    }

    private static byte[] bytesOf(String note) {
        return note == null ? new byte[0] : note.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the oldest version that can say these commits. */
    private static int versionFor(List<CursorCommit> commits) {
        int version = VERSION;
        for (CursorCommit each : commits) {
            if (each.isOutside()) {
                return WITH_OUTSIDE;
            }
            version = each.note() == null ? version : WITH_NOTES;
        }
        return version;
    }

    static void write(EntryWriter out, List<CursorCommit> commits, int version) {
        out.putInt(commits.size());
        for (CursorCommit each : commits) {
            out.putId(each.topicId());
            out.putName(each.cursor());
            out.putInt(each.partition());
            out.putLong(each.offset());
            out.putLong(each.decision());
            if (version != VERSION) {
                byte[] note = bytesOf(each.note());
                out.putInt(each.note() == null ? NO_NOTE : note.length);
                out.putBytes(note);
            }
            if (version == WITH_OUTSIDE) {
                out.putByte(each.isOutside() ? 1 : 0);
            }
        }
    }

    /**
     * Reads an entry.
     *
     * @param offset its offset in the journal
     * @throws IOException when it is none, or a newer version wrote it
     */
    static JournalEntry decode(byte[] bytes, long offset) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        int version = in.readByte();
        if (version != VERSION && version != WITH_NOTES && version != WITH_OUTSIDE) {
            throw new IOException(
                    "the entry at offset "
                            + offset
                            + " of the journal of transactions has version "
                            + version
                            + ", expected at most "
                            + WITH_OUTSIDE
                            + ": open the store with a newer version of Firn");
        }
        return new JournalEntry(
                in.readLong(),
                in.readShort(),
                in.readInt(),
                in.readLong(),
                State.values()[in.readByte()],
                in.readLong(),
                in.readShort(),
                readMarkers(in),
                readCommits(in, offset, version),
                readCommits(in, offset, version));
    }

    private static List<MarkerToWrite> readMarkers(DataInputStream in) throws IOException {
        List<MarkerToWrite> markers = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            markers.add(
                    new MarkerToWrite(
                            new UUID(in.readLong(), in.readLong()),
                            in.readInt(),
                            in.readBoolean(),
                            in.readLong(),
                            in.readShort(),
                            in.readLong()));
        }
        return markers;
    }

    static List<CursorCommit> readCommits(DataInputStream in, long offset, int version)
            throws IOException {
        List<CursorCommit> commits = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            UUID topicId = new UUID(in.readLong(), in.readLong());
            CursorCommit.Place place = new CursorCommit.Place(topicId, in.readUTF(), in.readInt());
            long to = in.readLong();
            long decision = decided(in.readLong(), offset);
            String note = version == VERSION ? null : readNote(in);
            boolean isOutside = version == WITH_OUTSIDE && in.readBoolean();
            commits.add(new CursorCommit(place, to, isOutside, decision, note));
        }
        return commits;
    }

    private static String readNote(DataInputStream in) throws IOException {
        int size = in.readInt();
        return size == NO_NOTE ? null : new String(in.readNBytes(size), StandardCharsets.UTF_8);
    }

    private static long decided(long number, long offset) {
        return number == SELF ? offset : number;
    }

    /**
     * A decision that a partition has to get a marker of.
     *
     * @param producerId whose transaction it is
     * @param epoch the producer epoch that the marker carries
     * @param end the next offset of the partition when the transaction was closed: all of its
     *     batches are below, and those of a later transaction of the same producer are not
     */
    record MarkerToWrite(
            UUID topicId, int partition, boolean isCommit, long producerId, int epoch, long end) {

        /** Returns what the marker carries. */
        ProducerIdentity identity() {
            return new ProducerIdentity(producerId, epoch);
        }

        /** Returns whether it says the same of a transaction with the same producer id. */
        boolean isAlike(boolean commit, long id) {
            return isCommit == commit && producerId == id;
        }
    }

    /**
     * What the journal says of cursor commits that were added to an open transaction after the
     * producer's last {@link JournalEntry}. A client that commits many offsets one by one would
     * otherwise write all of them each time. It counts until there is another entry of the
     * producer, which has these commits or is of their transaction's end.
     *
     * <pre>
     *  | version (1) | id (8) | epoch (2) | count (4) | commits, as in an entry with notes |
     * </pre>
     *
     * <p>It is written only where the entry would be large, and if no commit is of an offset
     * outside the log: an earlier release refuses to open a store that has one.
     */
    record AddedCommits(long id, int epoch, List<CursorCommit> commits) {
        static final int VERSION = 3;
        private static final int FIXED_BYTES = 11;

        /** Returns whether this is what a value in the journal is. */
        static boolean isIn(byte[] value) {
            return value.length > 0 && value[0] == VERSION;
        }

        byte[] encode() {
            EntryWriter out =
                    new EntryWriter(FIXED_BYTES + JournalEntry.sizeBytes(commits, VERSION));
            out.putByte(VERSION);
            out.putLong(id);
            out.putShort(epoch);
            JournalEntry.write(out, commits, VERSION);
            return out.bytes();
        }

        /** Reads one that {@link #isIn} has found. */
        static AddedCommits decode(byte[] value, long offset) throws IOException {
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(value));
            in.readByte();
            return new AddedCommits(
                    in.readLong(), in.readShort(), JournalEntry.readCommits(in, offset, VERSION));
        }
    }
}
