package io.firn.kill;

import io.firn.Batch;
import io.firn.LogRecord;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/**
 * What lanes write: all of it follows from the seed, the lane, and the number of the batch's first
 * record in the lane. So a batch that is sent again is the same batch, and whoever finds a record
 * can tell whether it is right.
 *
 * <pre>
 *  value: lane (4) | first (8) | index (4) | noise
 * </pre>
 */
final class Content {
    private static final int VALUE_HEADER = 16;
    private static final int MOST_RECORDS = 40;
    private static final int LARGE_VALUE = 20_000;
    private static final int SMALL_VALUE = 800;
    private static final long TIME = 1_700_000_000_000L;
    private static final String HEADER = "crc";

    private final long seed;
    private final CRC32C crc = new CRC32C();

    Content(long seed) {
        this.seed = seed;
    }

    /** Where a found record says that it belongs. */
    record Place(int lane, long first, int index) {}

    /** Records in the batch that begins with a lane's record. */
    int count(int lane, long first) {
        SplittableRandom random = randomOf(lane, first, -1);
        return switch (random.nextInt(4)) {
            case 0, 1 -> 1;
            case 2 -> 2 + random.nextInt(8);
            default -> 1 + random.nextInt(MOST_RECORDS);
        };
    }

    /** Fills a batch, without its producer. */
    void fill(Batch batch, int lane, long first) {
        int count = count(lane, first);
        batch.clear();
        for (int i = 0; i < count; i++) {
            byte[] value = value(lane, first, i);
            batch.key(key(value)).value(value).timestamp(TIME + first + i);
            if (hasHeader(value)) {
                batch.header(HEADER, key(value));
            }
            batch.add();
        }
    }

    /** A sum over the values of a batch. */
    int crcOf(int lane, long first) {
        CRC32C sum = new CRC32C();
        for (int i = 0; i < count(lane, first); i++) {
            sum.update(value(lane, first, i));
        }
        return (int) sum.getValue();
    }

    /**
     * Where a record belongs, by its own word.
     *
     * @return null when it is none of ours
     */
    static Place placeOf(LogRecord record) {
        if (record.valueLength() < VALUE_HEADER) {
            return null;
        }
        ByteBuffer value = record.value();
        int at = value.position();
        return new Place(value.getInt(at), value.getLong(at + 4), value.getInt(at + 12));
    }

    /**
     * Compares all of a record with what it must be.
     *
     * @return what differs, or null
     */
    String difference(LogRecord record, Place place) {
        byte[] value = value(place.lane, place.first, place.index);
        if (!record.value().equals(ByteBuffer.wrap(value))) {
            return "its value";
        }
        byte[] key = key(value);
        if (key == null ? record.hasKey() : !ByteBuffer.wrap(key).equals(record.key())) {
            return "its key";
        }
        if (record.timestamp() != TIME + place.first + place.index) {
            return "its timestamp " + record.timestamp();
        }
        if (record.headerCount() != (hasHeader(value) ? 1 : 0)) {
            return "its headers, " + record.headerCount();
        }
        if (hasHeader(value)) {
            LogRecord.Headers headers = record.headers();
            headers.next();
            byte[] expected = key(value);
            ByteBuffer found = headers.value();
            boolean same =
                    expected == null ? found == null : ByteBuffer.wrap(expected).equals(found);
            if (!headers.key().equals(HEADER) || !same) {
                return "its header";
            }
        }
        return null;
    }

    private byte[] value(int lane, long first, int index) {
        SplittableRandom random = randomOf(lane, first, index);
        int most = count(lane, first) <= 2 && random.nextInt(10) == 0 ? LARGE_VALUE : SMALL_VALUE;
        byte[] value = new byte[VALUE_HEADER + random.nextInt(most)];
        random.nextBytes(value);
        ByteBuffer.wrap(value).putInt(lane).putLong(first).putInt(index);
        return value;
    }

    private byte[] key(byte[] value) {
        if (value.length % 3 == 0) {
            return null;
        }
        crc.reset();
        crc.update(value);
        return Arrays.copyOf(
                ByteBuffer.allocate(8).putLong(crc.getValue()).array(), value.length % 9);
    }

    private static boolean hasHeader(byte[] value) {
        return value.length % 5 == 0;
    }

    private SplittableRandom randomOf(int lane, long first, int index) {
        long mixed = seed * 0x9E37_79B9_7F4A_7C15L + lane;
        mixed = mixed * 0xBF58_476D_1CE4_E5B9L + first;
        return new SplittableRandom(mixed * 0x94D0_49BB_1331_11EBL + index);
    }
}
