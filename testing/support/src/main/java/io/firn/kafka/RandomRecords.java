package io.firn.kafka;

import io.firn.StoredRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Records of every shape, the same ones for the same seed. */
public final class RandomRecords {
    private static final long SOME_TIME = 1_700_000_000_000L;
    private static final String[] HEADER_KEYS = {"trace", "", "schéma", "k", "x".repeat(130)};

    private final Random random;

    /** From a seed. */
    public RandomRecords(long seed) {
        random = new Random(seed);
    }

    /** Where the records get their random numbers from. */
    public Random random() {
        return random;
    }

    /** Some records, numbered from an offset, with values up to a size. */
    public List<StoredRecord> next(int partition, long offset, int count, int maxValueBytes) {
        List<StoredRecord> records = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            records.add(
                    new StoredRecord(
                            partition,
                            offset + i,
                            SOME_TIME + random.nextInt(2_000_000) - 1_000_000,
                            random.nextInt(3) == 0 ? null : bytes(random.nextInt(40)),
                            random.nextInt(10) == 0 ? null : bytes(size(maxValueBytes)),
                            headers()));
        }
        return records;
    }

    /** Bytes that compress well or not at all. */
    public byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        if (random.nextBoolean()) {
            random.nextBytes(bytes);
        } else {
            for (int i = 0; i < size; i++) {
                bytes[i] = (byte) ('a' + (i / 7 + i % 5) % 26);
            }
        }
        return bytes;
    }

    /** Small sizes more often than large ones: the lengths of lengths change there. */
    private int size(int maxValueBytes) {
        int bound = Math.min(maxValueBytes, 1 << random.nextInt(31));
        return random.nextInt(bound + 1);
    }

    private List<StoredRecord.Header> headers() {
        List<StoredRecord.Header> headers = new ArrayList<>();
        int count = random.nextInt(4) == 0 ? 1 + random.nextInt(4) : 0;
        for (int i = 0; i < count; i++) {
            headers.add(
                    new StoredRecord.Header(
                            HEADER_KEYS[random.nextInt(HEADER_KEYS.length)],
                            random.nextInt(4) == 0 ? null : bytes(random.nextInt(100))));
        }
        return List.copyOf(headers);
    }
}
