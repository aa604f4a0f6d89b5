package io.firn.spi;

import io.firn.medium.FileMedium;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Reads what is left of a tier that can perhaps no longer be opened; for {@code bin/firn inspect}.
 * Found by {@link java.util.ServiceLoader}.
 */
public interface TierInspector {

    /**
     * Returns what is left of a tier in a directory. Changes nothing and acquires no lock; while
     * another process writes, the result may be partly old and partly new.
     *
     * @return null when the directory shows no sign of a tier of this kind
     * @throws IOException when it cannot be read
     */
    TierRemains inspect(FileMedium medium, Path directory) throws IOException;
}
