package io.firn.crashlab;

import io.firn.Compression;
import io.firn.format.BatchEncoder;
import io.firn.format.BatchFormat;
import io.firn.format.MarkerBatch;
import io.firn.format.Scratch;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** The log that a replica is made of: batches with epochs, gaps and transactions, by a seed. */
final class ReplicaSource {
    private static final int PRODUCERS = 3;

    /** A batch; of a transaction if it has a producer, and the marker that ends one if it says. */
    record Stored(long base, long next, int epoch, long producer, Boolean commits, byte[] bytes) {}

    private final SplittableRandom random;
    private final List<Stored> batches = new ArrayList<>();
    private final int[] sequences = new int[PRODUCERS];
    private long next;
    private int epoch;

    ReplicaSource(SplittableRandom random) {
        this.random = random;
        this.next = random.nextInt(3) * 1_000_000_000_000L;
        this.epoch = random.nextInt(3);
    }

    long nextOffset() {
        return next;
    }

    List<Stored> batches() {
        return List.copyOf(batches);
    }

    /** Begins at an offset, with an epoch that the batches before it may have. */
    void continueFrom(long offset, int leastEpoch) {
        next = offset;
        epoch = leastEpoch;
    }

    /** Another leader was elected. */
    void elect() {
        epoch += 1 + random.nextInt(3);
    }

    /** Adds a batch, or a marker. */
    void append() {
        if (random.nextInt(12) == 0) {
            next += 1 + random.nextInt(20);
        }
        int producer = random.nextInt(2 * PRODUCERS);
        if (producer < PRODUCERS && isOpen(producer) && random.nextInt(3) == 0) {
            boolean commits = random.nextBoolean();
            byte[] marker = MarkerBatch.encode(producer, 0, commits, 7, 1_000);
            add(marker, 1, producer, commits);
            return;
        }
        BatchEncoder encoder = new BatchEncoder(() -> 1_000, Compression.NONE, 1 << 20);
        boolean isOfTransaction = producer < PRODUCERS && random.nextInt(2) == 0;
        if (isOfTransaction) {
            encoder.transactional(producer, 0, sequences[producer]++);
        }
        byte[] value = new byte[random.nextInt(3) == 0 ? 20_000 : 300];
        random.nextBytes(value);
        encoder.add(value);
        Scratch whole = encoder.finish();
        byte[] bytes = Arrays.copyOf(whole.bytes(), whole.length());
        add(bytes, 1, isOfTransaction ? producer : -1, null);
    }

    private void add(byte[] bytes, int offsets, long producer, Boolean commits) {
        ByteBuffer.wrap(bytes).putLong(BatchFormat.BASE_OFFSET, next);
        ByteBuffer.wrap(bytes).putInt(BatchFormat.EPOCH, epoch);
        batches.add(new Stored(next, next + offsets, epoch, producer, commits, bytes));
        next += offsets;
    }

    private boolean isOpen(long producer) {
        boolean isOpen = false;
        for (Stored each : batches) {
            if (each.producer == producer) {
                isOpen = each.commits == null;
            }
        }
        return isOpen;
    }

    /**
     * Loses what is at an offset and above it; the next leader may be an older one, whose epoch is
     * lower than that of what was lost.
     */
    void truncate(long offset) {
        next = offset;
        batches.removeIf(each -> each.next > offset);
        int last = batches.isEmpty() ? 0 : batches.get(batches.size() - 1).epoch;
        epoch = last + random.nextInt(Math.max(1, epoch - last + 2));
    }

    /** Returns the batches from an offset on, up to so many. */
    static ByteBuffer bytes(List<Stored> of, long offset, int most) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        of.stream()
                .filter(each -> each.base >= offset)
                .limit(most)
                .forEach(each -> out.writeBytes(each.bytes));
        return ByteBuffer.wrap(out.toByteArray());
    }
}
