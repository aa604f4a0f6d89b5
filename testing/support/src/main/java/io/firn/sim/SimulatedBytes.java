package io.firn.sim;

import java.nio.ByteBuffer;

/** What a file holds: pages on a device, or persistent memory. */
abstract sealed class SimulatedBytes extends SimulatedNode permits SimulatedFile, SimulatedMemory {

    /** Bytes of the medium that it has taken; counts where space is taken late. */
    private int taken;

    final int taken() {
        return taken;
    }

    final void take(int bytes) {
        taken = bytes;
    }

    abstract int size();

    /** The bytes of the medium that it needs. */
    long usedBytes() {
        return size();
    }

    /** How many bytes of a write find space on a medium with so much room. */
    int fitting(long position, int length, long room) {
        long growth = Math.max(0, position + length - size());
        return growth <= room ? length : (int) Math.max(0, length - (growth - room));
    }

    abstract long modifiedMs();

    abstract int read(long position, byte[] target, int offset, int length);

    abstract void write(long position, byte[] source, int offset, int length, long now);

    abstract void setSize(int newSize, long now);

    /** The first page without space of its own, or −1. */
    abstract int firstHole();

    /** Memory that shares the file's bytes. */
    abstract ByteBuffer map(long position, int length, boolean writable);

    /** Makes durable what was stored into a range of bytes. */
    abstract void force(int from, int to);

    abstract void forceSize();

    /** The medium refused a force of a range. */
    abstract void failForce(int from, int to);

    /** Changes a byte, here and on the medium: rot. */
    abstract void rot(int position, int mask);
}
