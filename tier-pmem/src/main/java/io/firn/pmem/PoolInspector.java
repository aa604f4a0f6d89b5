package io.firn.pmem;

import io.firn.medium.FileMedium;
import io.firn.spi.TierInspector;
import io.firn.spi.TierInspector.TierRemains;
import java.io.IOException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/**
 * Reads what is left of a pool of persistent memory, even if both superblocks are lost.
 *
 * @see PmemTier
 */
public final class PoolInspector implements TierInspector {

    /** Creates an inspector; for {@link java.util.ServiceLoader}. */
    public PoolInspector() {}

    @Override
    public TierRemains inspect(FileMedium medium, Path directory) throws IOException {
        Path pool = directory.resolve(PoolFile.NAME);
        return isFile(medium, pool) ? new PoolLook(medium, pool).remains() : null;
    }

    private static boolean isFile(FileMedium medium, Path path) throws IOException {
        try {
            medium.list(path);
            return false;
        } catch (NotDirectoryException e) {
            return true;
        }
    }
}
