package io.firn.pmem;

import io.firn.medium.FileMedium;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The options of a {@link PmemTier}, whose builder documents them.
 *
 * @param isBlockSizeSet whether the user has set {@code blockBytes}
 * @param providerWrapper wraps the chosen provider; for tests
 */
record PoolOptions(
        List<Path> directories,
        FileMedium medium,
        long capacityBytes,
        double poolRatio,
        int blockBytes,
        boolean isBlockSizeSet,
        Emulation emulation,
        Provider provider,
        UnaryOperator<PmemProvider> providerWrapper,
        int mostSegmentBytes) {
    /** As the capacity: the whole file system. */
    static final long WHOLE_FILE_SYSTEM = -1;

    Path poolPath(int index) {
        return directories.get(index).resolve(PoolFile.NAME);
    }
}
