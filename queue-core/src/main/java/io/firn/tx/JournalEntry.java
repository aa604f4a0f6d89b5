package io.firn.tx;

import io.firn.Transaction.State;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * All that the journal says of one producer, but for {@link AddedMoves}. The last entry of a
 * producer counts. The number of a decision is the offset of the entry that says it first; in that
 * entry it is {@link #SELF}.
 *
 * <pre>
 *  | version (1) | id (8) | epoch (2) | timeoutMs (4) | lastUsedMs (8) | state (1) |
 *  | endedId (8) | endedEpoch (2) |
 *  | count (4) | { topic (16) | partition (4) | commit (1) | id (8) | epoch (2) | end (8) } … |
 *  | count (4) | { topic (16) | cursor (2 + n) | partition (4) | offset (8) | decision (8) } … |
 *  | count (4) | moves of the open transaction, in the same form                               |
 * </pre>
 *
 * <p>In version 2, which is written only if a move has a note, each move ends with its note: length
 * (4), −1 for none, and UTF-8. In version 4, which is written only if an offset is outside the log
 * ({@link Move#isOutside}), a byte follows that says whether it is.
 *
 * @param id the producer's id
 * @param epoch its epoch
 * @param timeoutMs after which an open transaction is aborted; 0 for an unnamed producer
 * @param lastUsedMs when it was used last, in ms since 1970
 * @param state what it does; {@code ONGOING} only if moves of the open transaction are in it
 * @param endedId the id with which the last transaction was ended; −1 when there is none
 * @param endedEpoch the epoch with which the last transaction was ended
 * @param endings partitions that may not have a durable marker yet
 * @param moves moves that may not be in the file of a cursor yet
 * @param openMoves moves of the open transaction
 */
record JournalEntry(
        long id,
        int epoch,
        int timeoutMs,
        long lastUsedMs,
        State state,
        long endedId,
        int endedEpoch,
        List<Ending> endings,
        List<Move> moves,
        List<Move> openMoves) {
    /** The number of a decision that is the offset of the entry itself. */
    static final long SELF = -2;

    private static final int VERSION = 1;
    private static final int WITH_NOTES = 2;
    private static final int WITH_OUTSIDE = 4; // 3 is AddedMoves.VERSION
    private static final int NO_NOTE = -1;
    static final int FIXED_BYTES = 46;
    private static final int ENDING_BYTES = 39;

    /** Of a move without its cursor's name and its note. */
    private static final int MOVE_BYTES = 38;

    byte[] encode() {
        int version = Math.max(versionFor(moves), versionFor(openMoves));
        EntryWriter out = new EntryWriter(sizeBytes(version));
        out.putByte(version);
        out.putLong(id);
        out.putShort(epoch);
        out.putInt(timeoutMs);
        out.putLong(lastUsedMs);
        out.putByte(state.ordinal());
        out.putLong(endedId);
        out.putShort(endedEpoch);
        out.putInt(endings.size());
        for (Ending each : endings) {
            out.putId(each.topicId());
            out.putInt(each.partition());
            out.putByte(each.isCommit() ? 1 : 0);
            out.putLong(each.producerId());
            out.putShort(each.epoch());
            out.putLong(each.end());
        }
        write(out, moves, version);
        write(out, openMoves, version);
        return out.bytes();
    }

    /**
     * Returns how much partitions and moves add to an entry at most.
     *
     * @param moveBytes the bytes of the moves, by {@link #mostBytes(Move)}
     */
    static long mostBytes(int partitions, long moveBytes) {
        return (long) ENDING_BYTES * partitions + moveBytes;
    }

    /** Returns how many bytes a move takes in an entry at most. */
    static int mostBytes(Move move) {
        int note = move.note() == null ? 0 : EntryWriter.sizeOf(move.note()); // at least UTF-8's
        return MOVE_BYTES + EntryWriter.sizeOf(move.cursor()) + Integer.BYTES + note + 1;
    }

    static long mostBytes(List<Move> moves) {
        long bytes = 0;
        for (Move each : moves) {
            bytes += mostBytes(each);
        }
        return bytes;
    }

    private int sizeBytes(int version) {
        return FIXED_BYTES
                + ENDING_BYTES * endings.size()
                + sizeBytes(moves, version)
                + sizeBytes(openMoves, version)
                - 2 * Integer.BYTES;
    }

    /** Returns what a list of moves takes, with its length. */
    static int sizeBytes(List<Move> moves, int version) {
        int size = Integer.BYTES;
        for (Move each : moves) {
            size += MOVE_BYTES + EntryWriter.sizeOf(each.cursor());
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

    /** Returns the oldest version that can say these moves. */
    private static int versionFor(List<Move> moves) {
        int version = VERSION;
        for (Move each : moves) {
            if (each.isOutside()) {
                return WITH_OUTSIDE;
            }
            version = each.note() == null ? version : WITH_NOTES;
        }
        return version;
    }

    static void write(EntryWriter out, List<Move> moves, int version) {
        out.putInt(moves.size());
        for (Move each : moves) {
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
                readEndings(in),
                readMoves(in, offset, version),
                readMoves(in, offset, version));
    }

    private static List<Ending> readEndings(DataInputStream in) throws IOException {
        List<Ending> endings = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            endings.add(
                    new Ending(
                            new UUID(in.readLong(), in.readLong()),
                            in.readInt(),
                            in.readBoolean(),
                            in.readLong(),
                            in.readShort(),
                            in.readLong()));
        }
        return endings;
    }

    static List<Move> readMoves(DataInputStream in, long offset, int version) throws IOException {
        List<Move> moves = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            UUID topicId = new UUID(in.readLong(), in.readLong());
            String cursor = in.readUTF();
            int partition = in.readInt();
            long to = in.readLong();
            long decision = decided(in.readLong(), offset);
            String note = version == VERSION ? null : readNote(in);
            boolean isOutside = version == WITH_OUTSIDE && in.readBoolean();
            moves.add(new Move(topicId, cursor, partition, to, isOutside, decision, note));
        }
        return moves;
    }

    private static String readNote(DataInputStream in) throws IOException {
        int size = in.readInt();
        return size == NO_NOTE ? null : new String(in.readNBytes(size), StandardCharsets.UTF_8);
    }

    private static long decided(long number, long offset) {
        return number == SELF ? offset : number;
    }
}
