package io.firn.kill;

import io.firn.spi.StorageTier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * What the store of a kill run lies on. The child makes its own by the name of the class, which has
 * a constructor without arguments.
 */
public interface Ground {

    /** New tiers in a directory, not open yet, hottest first. */
    List<StorageTier> tiers(Path directory);

    /**
     * Looks at the space of open tiers, while their store goes on working.
     *
     * @return what does not add up just now, or null
     */
    default String flaw(List<StorageTier> tiers) throws IOException {
        return null;
    }
}
