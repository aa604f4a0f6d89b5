package io.firn.follow;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The layout of the file {@code STORE/ends}, which consists of pieces that are mapped one by one.
 * All numbers are words of eight bytes in the byte order of the machine: the file is of no use on
 * another one, or after a restart.
 *
 * <pre>
 *  0        128       256                4096        4224              65536       65664
 *  | header | changes | holder of lock   | slot 32   | slot 33  | …    | slot 512  | …
 *
 *  header   0 magic | 8 version | 16 term | 24 slots | 32 store | 48 start of the system
 *  changes  0 changes of slots | 8 changes of topics and of the assignment of slots
 *          16 looks of the writer, by which it notices that the name is a copy's
 *  holder   0 length in bytes | 8 text
 *  owner    (at 1536) 0 length in bytes | 8 text, see {@link PriorWriter}
 *
 *  slot     0 end | 8 sequence | 16 base | 24 epoch | 32 base before | 40 end before
 *          64 durable offset | 72 log start | 80 changes | 88 topic | 104 partition
 * </pre>
 *
 * <p>An <em>end</em> is a position in a segment and, in the upper half, the offset there minus the
 * segment's base. The thread that appends stores into the first 64 bytes of a slot, others into the
 * rest, so that they do not share a line of the processor's cache.
 *
 * <p>The <em>term</em> is above 0 while the writer has the store open. Everything in the file
 * belongs to that term: the next writer sets it to 0, and then makes another file.
 *
 * <p>The <em>sequence</em> of a slot is odd while its segment or its owner changes, and grows with
 * each change. An end that is read before the sequence, and after it was the same, belongs to the
 * segment of that sequence.
 */
final class PublishedOffsetsFormat {
    static final String NAME = "ends";
    static final long MAGIC = 0x4649524E_454E4453L;
    static final long VERSION = 1;

    static final int PIECE_BYTES = 64 * 1024;
    static final int SLOT_BYTES = 128;
    static final int SLOTS_IN_PIECE = PIECE_BYTES / SLOT_BYTES;
    static final int FIRST_SLOT = 32;

    // The header; of these places, no version changes magic, version and term.
    static final int MAGIC_AT = 0;
    static final int VERSION_AT = 8;
    static final int TERM = 16;
    static final int SLOTS = 24;
    static final int STORE = 32;
    static final int SYSTEM = 48;
    static final int CHANGES = 128;
    static final int TOPIC_CHANGES = 136;
    static final int LOOKS = 144;
    static final int HOLDER_LENGTH = 256;
    static final int HOLDER = 264;
    static final int MOST_HOLDER_BYTES = 1024;
    static final int OWNER_LENGTH = 1536;
    static final int OWNER = 1544;
    static final int MOST_OWNER_BYTES = 2048;
    static final int HEADER_BYTES = 4096;

    // A slot.
    static final int END = 0;
    static final int SEQUENCE = 8;
    static final int BASE = 16;
    static final int EPOCH = 24;
    static final int BASE_BEFORE = 32;
    static final int END_BEFORE = 40;
    static final int DURABLE = 64;
    static final int START = 72;
    static final int SLOT_CHANGES = 80;
    static final int TOPIC = 88;
    static final int PARTITION = 104;

    /** A word, at a place that is a multiple of eight. */
    private static final VarHandle WORD =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private PublishedOffsetsFormat() {}

    static int pieceOf(int slot) {
        return slot / SLOTS_IN_PIECE;
    }

    static int placeInPiece(int slot) {
        return slot % SLOTS_IN_PIECE * SLOT_BYTES;
    }

    static void set(ByteBuffer bytes, int at, long value) {
        WORD.setRelease(bytes, at, value);
    }

    static long get(ByteBuffer bytes, int at) {
        return (long) WORD.getAcquire(bytes, at);
    }

    /**
     * Adds one; for one thread at a time. Not an atomic add: where the file was truncated, that may
     * end the process, while a load or a store throws an error.
     */
    static void increment(ByteBuffer bytes, int at) {
        set(bytes, at, get(bytes, at) + 1);
    }
}
