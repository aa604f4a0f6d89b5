package io.firn.spi;

import java.util.UUID;

/**
 * What a tier is told when a store opens it.
 *
 * @param storeId the store's identity; a tier that belongs to another store refuses
 * @param create whether a tier that does not exist yet may be created
 * @param readOnly whether nothing may be changed, because another process may own the store
 */
public record TierContext(UUID storeId, boolean create, boolean readOnly) {}
