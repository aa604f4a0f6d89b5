package io.firn.server.group;

import io.firn.medium.Fields;
import io.firn.server.wire.ClientShares;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory of a group, as a part of what is remembered for all clients. It counts for the client
 * that named the group first; that of groups whose client is not known, in a common share. Guarded
 * by the group.
 */
final class GroupMemory {
    /** The client of groups that an earlier version has stored. */
    static final String NOBODY = "";

    private final ClientShares shares;
    private final Refusals refusals;
    private String owner;
    private long counted;

    GroupMemory(ClientShares shares, Refusals refusals, String owner) {
        this.shares = shares;
        this.refusals = refusals;
        this.owner = owner;
    }

    String owner() {
        return owner;
    }

    /** Returns whether a number of bytes may be added. */
    boolean hasRoomFor(long more) {
        return shares.hasRoomFor(owner, more) || refusals.refuse(owner);
    }

    /** Logs that the group may not grow; returns false. */
    boolean refuse() {
        return refusals.refuse(owner);
    }

    /** Returns whether there is memory for bytes, whatever the share of the client. */
    boolean hasMemoryFor(long more) {
        return shares.hasMemoryFor(more) || refusals.refuse(owner);
    }

    /** Sets the bytes that the group uses now. */
    void set(long bytes) {
        shares.add(owner, bytes - counted);
        counted = bytes;
    }

    /**
     * Charges a client for what none was charged for; returns false if it has no room in its share.
     */
    boolean moveTo(String client) {
        shares.add(owner, -counted);
        boolean fits = shares.hasRoomFor(client, counted);
        owner = fits ? client : owner;
        shares.add(owner, counted);
        return fits;
    }

    /**
     * The group leaves the memory, and stays in its file.
     *
     * @param kept how many of its bytes stay in memory nevertheless
     */
    void store(long kept) {
        shares.add(owner, kept - counted);
        shares.addStored(owner, counted - kept);
        counted = 0;
    }

    /**
     * Tells the operator that groups are refused memory, once a minute: their clients try again
     * without an end, and do not say why. Thread-safe.
     */
    static final class Refusals {
        private static final System.Logger LOG = System.getLogger("io.firn.server");
        private static final long AGAIN_NS = TimeUnit.MINUTES.toNanos(1);

        private final ClientShares memory;
        private final AtomicLong lastNs = new AtomicLong(System.nanoTime() - AGAIN_NS);

        Refusals(ClientShares memory) {
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
                        owner.equals(NOBODY) ? "an earlier version" : Fields.shown(owner),
                        Long.toString(GroupLimits.maxGroupBytes(memory)),
                        Long.toString(memory.usedBytes(owner)),
                        Long.toString(memory.mostBytes() / 2),
                        Long.toString(memory.usedBytes()),
                        Long.toString(memory.mostBytes()));
            }
            return false;
        }
    }
}
