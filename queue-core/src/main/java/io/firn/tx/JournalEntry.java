package io.firn.tx;

import io.firn.TransactionCoordinator.State;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * All that the journal says of one producer. The last entry of a producer counts. The number of a
 * decision is the offset of the entry that says it first; in that entry it is {@link #SELF}.
 *
 * <pre>
 *  | version (1) | id (8) | epoch (2) | timeoutMs (4) | lastUsedMs (8) | state (1) |
 *  | endedId (8) | endedEpoch (2) |
 *  | count (4) | { topic (16) | partition (4) | commit (1) | id (8) | epoch (2) | end (8) } … |
 *  | count (4) | { topic (16) | cursor (2 + n) | partition (4) | offset (8) | decision (8) } … |
 *  | count (4) | moves of the open transaction, in the same form                               |
 * </pre>
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

    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeLong(id);
            out.writeShort(epoch);
            out.writeInt(timeoutMs);
            out.writeLong(lastUsedMs);
            out.writeByte(state.ordinal());
            out.writeLong(endedId);
            out.writeShort(endedEpoch);
            out.writeInt(endings.size());
            for (Ending each : endings) {
                write(out, each.topicId());
                out.writeInt(each.partition());
                out.writeBoolean(each.isCommit());
                out.writeLong(each.producerId());
                out.writeShort(each.epoch());
                out.writeLong(each.end());
            }
            write(out, moves);
            write(out, openMoves);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // it is written into memory
        }
        return bytes.toByteArray();
    }

    private static void write(DataOutputStream out, List<Move> moves) throws IOException {
        out.writeInt(moves.size());
        for (Move each : moves) {
            write(out, each.topicId());
            out.writeUTF(each.cursor());
            out.writeInt(each.partition());
            out.writeLong(each.offset());
            out.writeLong(each.decision());
        }
    }

    private static void write(DataOutputStream out, UUID id) throws IOException {
        out.writeLong(id.getMostSignificantBits());
        out.writeLong(id.getLeastSignificantBits());
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
        if (version != VERSION) {
            throw new IOException(
                    "the entry at offset "
                            + offset
                            + " of the journal of transactions has version "
                            + version
                            + ", expected "
                            + VERSION
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
                readMoves(in, offset),
                readMoves(in, offset));
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

    private static List<Move> readMoves(DataInputStream in, long offset) throws IOException {
        List<Move> moves = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            moves.add(
                    new Move(
                            new UUID(in.readLong(), in.readLong()),
                            in.readUTF(),
                            in.readInt(),
                            in.readLong(),
                            decided(in.readLong(), offset)));
        }
        return moves;
    }

    private static long decided(long number, long offset) {
        return number == SELF ? offset : number;
    }
}
