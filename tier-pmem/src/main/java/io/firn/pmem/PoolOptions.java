package io.firn.pmem;

import io.firn.InvalidOptionException;
import io.firn.medium.FileMedium;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The options of a {@link PmemTier}, which documents and checks them. A copy is changed, then kept.
 */
final class PoolOptions {
    /** As the capacity: the whole file system. */
    static final long WHOLE_FILE_SYSTEM = -1;

    private static final int DEFAULT_BLOCK_BYTES = 64 << 20;
    private static final double DEFAULT_POOL_RATIO = 0.8;

    final List<Path> directories;
    FileMedium medium = FileMedium.real();
    long capacityBytes = WHOLE_FILE_SYSTEM;
    double poolRatio = DEFAULT_POOL_RATIO;
    int blockBytes = DEFAULT_BLOCK_BYTES;

    /** Whether the user has set {@link #blockBytes}. */
    boolean isBlockSizeSet;

    Emulation emulation = Emulation.NONE;
    Provider provider = Provider.AUTO;

    /** Wraps the chosen provider; for tests. */
    UnaryOperator<PmemProvider> providerWrapper = UnaryOperator.identity();

    int mostSegmentBytes = Integer.MAX_VALUE;

    /** Creates the defaults. */
    PoolOptions(List<Path> directories) {
        this.directories =
                directories.stream()
                        .map(directory -> directory.toAbsolutePath().normalize())
                        .distinct()
                        .toList();
        if (directories.isEmpty() || this.directories.size() < directories.size()) {
            throw new InvalidOptionException(
                    "a tier of pools has one or more directories, each named once, found "
                            + directories);
        }
    }

    /** Creates a copy. */
    PoolOptions(PoolOptions from) {
        directories = from.directories;
        medium = from.medium;
        capacityBytes = from.capacityBytes;
        poolRatio = from.poolRatio;
        blockBytes = from.blockBytes;
        isBlockSizeSet = from.isBlockSizeSet;
        emulation = from.emulation;
        provider = from.provider;
        providerWrapper = from.providerWrapper;
        mostSegmentBytes = from.mostSegmentBytes;
    }

    List<Path> directories() {
        return directories;
    }

    FileMedium medium() {
        return medium;
    }

    long capacityBytes() {
        return capacityBytes;
    }

    double poolRatio() {
        return poolRatio;
    }

    int blockBytes() {
        return blockBytes;
    }

    boolean isBlockSizeSet() {
        return isBlockSizeSet;
    }

    Emulation emulation() {
        return emulation;
    }

    Provider provider() {
        return provider;
    }

    UnaryOperator<PmemProvider> providerWrapper() {
        return providerWrapper;
    }

    int mostSegmentBytes() {
        return mostSegmentBytes;
    }

    Path poolPath(int index) {
        return directories.get(index).resolve(PoolFile.NAME);
    }
}
