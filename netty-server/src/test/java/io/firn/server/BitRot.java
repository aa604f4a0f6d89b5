package io.firn.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** A bit that is flipped in the oldest segment of a partition, while no process has it open. */
final class BitRot {
    /** The first byte that the CRC of a batch covers. */
    private static final int ATTRIBUTES = 21;

    private static final int HEADER = 61;

    private final List<Path> tiers;
    private final int partition;
    private final String name;
    private final long position;
    private final int mask;
    private final byte before;

    private BitRot(List<Path> tiers, int partition, Path file, long position, int mask)
            throws IOException {
        this.tiers = tiers;
        this.partition = partition;
        this.name = file.getFileName().toString();
        this.position = position;
        this.mask = mask;
        this.before = byteAt(file);
        flip(file);
    }

    /**
     * Flips a bit of some batch; its CRC covers it.
     *
     * @return null when no segment of the partition is sealed
     */
    static BitRot in(List<Path> tiers, int partition, Random random) throws IOException {
        List<Path> sealed = sealed(tiers, partition);
        if (sealed.isEmpty()) {
            return null;
        }
        Path oldest = sealed.get(0);
        List<long[]> batches = batches(oldest);
        long[] batch = batches.get(random.nextInt(batches.size()));
        long position = batch[0] + ATTRIBUTES + random.nextInt((int) batch[1] - ATTRIBUTES);
        return new BitRot(tiers, partition, oldest, position, 1 << random.nextInt(8));
    }

    int partition() {
        return partition;
    }

    /**
     * Flips the bit back, wherever the segment is now.
     *
     * @throws IllegalStateException when the segment is gone
     */
    void mend() throws IOException {
        int mended = 0;
        for (Path each : sealed(tiers, partition)) {
            if (each.getFileName().toString().equals(name)) {
                if (byteAt(each) != (byte) (before ^ mask)) {
                    throw new IllegalStateException(each + " was rewritten in spite of its damage");
                }
                flip(each);
                mended++;
            }
        }
        if (mended == 0) {
            throw new IllegalStateException("a segment with damage was replaced: " + this);
        }
    }

    private byte byteAt(Path file) throws IOException {
        try (FileChannel open = FileChannel.open(file)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            open.read(one, position);
            return one.get(0);
        }
    }

    private void flip(Path file) throws IOException {
        byte now = byteAt(file);
        try (FileChannel open = FileChannel.open(file, StandardOpenOption.WRITE)) {
            open.write(ByteBuffer.wrap(new byte[] {(byte) (now ^ mask)}), position);
        }
    }

    /** Returns the position and the size of each batch. */
    private static List<long[]> batches(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        List<long[]> found = new ArrayList<>();
        int at = 0;
        while (at + HEADER <= bytes.limit()) {
            int size = 12 + bytes.getInt(at + 8);
            found.add(new long[] {at, size});
            at += size;
        }
        return found;
    }

    /** Returns the sealed segments of a partition, oldest first. */
    private static List<Path> sealed(List<Path> tiers, int partition) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path tier : tiers) {
            try (Stream<Path> all = Files.walk(tier)) {
                all.filter(file -> isSealed(tier, file, partition)).forEach(found::add);
            } catch (NoSuchFileException e) {
                continue; // nothing is there yet
            }
        }
        found.sort(Comparator.comparing(file -> file.getFileName().toString()));
        return found;
    }

    /** As TIER/TOPIC/PARTITION/BASE.log or TIER/TOPIC/PARTITION/BASE.GENERATION/BASE.log. */
    private static boolean isSealed(Path tier, Path file, int partition) {
        Path inTier = tier.relativize(file);
        return inTier.getNameCount() >= 3
                && inTier.getName(1).toString().equals(Integer.toString(partition))
                && !inTier.getName(2).toString().startsWith(".")
                && file.getFileName().toString().endsWith(".log");
    }

    @Override
    public String toString() {
        return "bit " + mask + " of byte " + position + " of " + name + ", partition " + partition;
    }
}
