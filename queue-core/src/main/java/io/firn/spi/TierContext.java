package io.firn.spi;

import java.util.UUID;

/**
 * The parameters with which a store opens a tier.
 *
 * @param storeId the store's identity; a tier that belongs to another store refuses to open
 * @param create whether a tier that does not exist yet may be created
 * @param readOnly whether nothing may be changed, because another process may be writing
 */
public record TierContext(UUID storeId, boolean create, boolean readOnly) {}
