package io.firn.spi;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Looks at what is left of a tier, whatever state it is in; for {@code bin/firn-inspect}, when the
 * tier can no longer be opened. Found by {@link java.util.ServiceLoader}.
 */
public interface TierInspector {

    /**
     * What is left of a tier in a directory. Changes nothing and acquires no lock: beside a process
     * that writes, what it finds may be half old and half new.
     *
     * @return null when the directory shows no sign of a tier of this kind
     * @throws IOException when it cannot be read
     */
    TierRemains inspect(FileMedium medium, Path directory) throws IOException;
}
