package io.firn.bench;

import com.intel.pmem.llpl.MemoryPool;
import io.firn.pmem.Provider;
import org.openjdk.jmh.annotations.Param;

/** The floor of an append to persistent memory, flushed by the same library. */
public class PmemAppendFloor extends AppendFloor {
    /** The provider that flushes: LLPL or LIBPMEM. */
    @Param("LLPL")
    public Provider provider;

    private boolean byLlpl;
    private MemoryPool pool;
    private long address;

    @Override
    void bind(FloorFile bound) {
        byLlpl = provider == Provider.LLPL;
        if (byLlpl) {
            pool = MemoryPool.openPool(bound.path().toString());
        } else {
            address = LibpmemCalls.addressOf(bound.memory());
        }
    }

    @Override
    void force(int at, int length) {
        if (byLlpl) {
            pool.flush(at, length);
        } else {
            LibpmemCalls.persist(address + at, length);
        }
    }
}
