package io.firn.server.group;

import io.firn.medium.Fields;
import io.firn.server.wire.ClientShares;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells the operator that groups are refused memory, once a minute: their clients try again without
 * an end, and do not say why. Thread-safe.
 */
final class MemoryRefusals {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final long AGAIN_NS = TimeUnit.MINUTES.toNanos(1);

    private final ClientShares memory;
    private final AtomicLong lastNs = new AtomicLong(System.nanoTime() - AGAIN_NS);

    MemoryRefusals(ClientShares memory) {
        this.memory = memory;
    }

    /** Logs that a group of a client is refused memory; returns false. */
    boolean refuse(String owner) {
        long now = System.nanoTime();
        long last = lastNs.get();
        if (now - last >= AGAIN_NS && lastNs.compareAndSet(last, now)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "a group of {0} is refused memory: it would have more than {1} bytes, or its"
                            + " client, who has {2}, more than {3}, or all, who have {4}, more than"
                            + " firn.groups.max.bytes={5}. Delete groups, or raise it with the heap",
                    owner.equals(GroupMemory.NOBODY) ? "an earlier version" : Fields.shown(owner),
                    Long.toString(GroupLimits.maxGroupBytes(memory)),
                    Long.toString(memory.usedBytes(owner)),
                    Long.toString(memory.mostBytes() / 2),
                    Long.toString(memory.usedBytes()),
                    Long.toString(memory.mostBytes()));
        }
        return false;
    }
}
