package io.firn.spi;

/** The tier of core's own tests does what is expected of tiers. */
class MemoryTierTest extends StorageTierContract {
    private final MemoryTier.Place place = new MemoryTier.Place(Long.MAX_VALUE);

    @Override
    protected StorageTier newTier() {
        return new MemoryTier(place);
    }

    @Override
    protected StorageTier newTierWithRoomFor(int segments) {
        return new MemoryTier(new MemoryTier.Place((long) segments * SEGMENT_BYTES));
    }
}
