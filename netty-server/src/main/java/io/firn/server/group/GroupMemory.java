package io.firn.server.group;

import io.firn.server.wire.Shares;

/**
 * The memory of a group, as a part of what is remembered for all clients. It counts for the client
 * that named the group first. Guarded by the group.
 */
final class GroupMemory {
    private final Shares shares;
    private final String owner;
    private long counted;

    GroupMemory(Shares shares, String owner) {
        this.shares = shares;
        this.owner = owner;
    }

    /** Returns whether a number of bytes may be added. */
    boolean hasRoomFor(long more) {
        return shares.hasRoomFor(owner, more);
    }

    /** Sets the bytes that the group uses now. */
    void set(long bytes) {
        shares.add(owner, bytes - counted);
        counted = bytes;
    }
}
