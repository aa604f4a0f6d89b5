package io.firn.spi;

import io.firn.medium.SendableFile;
import java.util.UUID;
import java.util.concurrent.Semaphore;

/**
 * The parameters with which a store opens a tier.
 *
 * @param storeId the store's identity; a tier that belongs to another store refuses to open
 * @param create whether a tier that does not exist yet may be created
 * @param readOnly whether nothing may be changed, because another process may be writing
 * @param filesToSend a place for each file that may be open for the system to send it; the tiers of
 *     a store share them
 */
public record TierContext(UUID storeId, boolean create, boolean readOnly, Semaphore filesToSend) {

    /** Creates the parameters for a tier that shares no places with others. */
    public TierContext(UUID storeId, boolean create, boolean readOnly) {
        this(storeId, create, readOnly, SendableFile.places());
    }
}
