package io.firn.server.group;

import io.firn.server.wire.ClientShares;

/**
 * The memory of a group, as a part of what is remembered for all clients. It counts for the client
 * that named the group first; that of groups whose client is not known, in a common pot. Guarded by
 * the group.
 */
final class GroupMemory {
    /** The client of groups that an earlier version has stored. */
    static final String NOBODY = "";

    private final ClientShares shares;
    private final MemoryRefusals refusals;
    private String owner;
    private long counted;

    GroupMemory(ClientShares shares, MemoryRefusals refusals, String owner) {
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
}
