package io.firn.pmem;

import io.firn.Survives;

/** A provider that maps what another one does, and does something of its own with it. */
interface ProviderOver extends PmemProvider {
    PmemProvider below();

    @Override
    default Provider kind() {
        return below().kind();
    }

    @Override
    default String reason() {
        return below().reason();
    }

    @Override
    default Survives survives() {
        return below().survives();
    }
}
