package io.firn.tx;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.List;

/**
 * What the journal says of moves that were added to an open transaction after the producer's last
 * {@link JournalEntry}. A client that commits many offsets one by one would otherwise write all of
 * them each time. It counts until there is another entry of the producer, which has these moves or
 * is of their transaction's end.
 *
 * <pre>
 *  | version (1) | id (8) | epoch (2) | count (4) | moves, in the form of an entry with notes |
 * </pre>
 *
 * <p>It is written only where the entry would be large, and if no move is to an offset outside the
 * log: an earlier release refuses to open a store that has one.
 */
record AddedMoves(long id, int epoch, List<Move> moves) {
    static final int VERSION = 3;
    private static final int FIXED_BYTES = 11;

    /** Returns whether this is what a value in the journal is. */
    static boolean isIn(byte[] value) {
        return value.length > 0 && value[0] == VERSION;
    }

    byte[] encode() {
        EntryWriter out = new EntryWriter(FIXED_BYTES + JournalEntry.sizeBytes(moves, VERSION));
        out.putByte(VERSION);
        out.putLong(id);
        out.putShort(epoch);
        JournalEntry.write(out, moves, VERSION);
        return out.bytes();
    }

    /** Reads one that {@link #isIn} has found. */
    static AddedMoves decode(byte[] value, long offset) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(value));
        in.readByte();
        return new AddedMoves(
                in.readLong(), in.readShort(), JournalEntry.readMoves(in, offset, VERSION));
    }
}
