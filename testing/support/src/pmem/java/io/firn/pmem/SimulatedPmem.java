package io.firn.pmem;

import io.firn.Survives;
import io.firn.medium.MediumFile;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.SimulatedMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A tier of pools in simulated memory. Everything above the provider is what runs on real memory.
 */
public final class SimulatedPmem implements PmemProvider {
    private final PmemProvider below;
    private final SimulatedFileMedium medium;

    private SimulatedPmem(PmemProvider below, SimulatedFileMedium medium) {
        this.below = below;
        this.medium = medium;
    }

    /**
     * A tier of the smallest blocks. The medium has to keep the directory's files in persistent
     * memory; a segment must have room in a piece of that.
     */
    public static PmemTier tier(SimulatedFileMedium medium, Path directory, int blocks) {
        long bytes = PoolFormat.forNewPool(PoolFormat.MIN_BLOCK_BYTES, blocks).fileBytes(blocks);
        return PmemTier.at(directory)
                .withMedium(medium)
                .withBlockBytes(PoolFormat.MIN_BLOCK_BYTES)
                .withPoolRatio(1)
                .withCapacityBytes(bytes)
                .withProvider(Provider.JDK)
                .withMostSegmentBytes(SimulatedMemory.CHUNK)
                .withWrappedProvider(below -> new SimulatedPmem(below, medium));
    }

    @Override
    public Provider kind() {
        return below.kind();
    }

    @Override
    public String reason() {
        return "simulated";
    }

    @Override
    public Survives survives() {
        return Survives.POWER_LOSS;
    }

    @Override
    public PmemMemory map(MediumFile file, Path path, Superblock pool) {
        return new Memory(medium, path);
    }

    /** Memory that forgets what was not flushed. */
    private record Memory(SimulatedFileMedium medium, Path path) implements PmemMemory {

        @Override
        public ByteBuffer bytes(long position, int length) {
            try {
                return medium.memory(path, position, length, true);
            } catch (IOException e) {
                throw new AssertionError("the pool is gone", e);
            }
        }

        @Override
        public void force(long position, int length) throws IOException {
            if (length > 0) {
                medium.forceMemory(path, position, length);
            }
        }

        @Override
        public void prefault(long position, int length) {
            // What a program stores here is what is there: nothing that a crash could tell.
        }

        @Override
        public void close() {
            // Nobody else can unmap it.
        }
    }
}
