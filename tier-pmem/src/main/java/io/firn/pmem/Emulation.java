package io.firn.pmem;

/**
 * What to do with a path that is not persistent memory. Has no effect on one that is.
 *
 * @see PmemTier
 */
public enum Emulation {
    /** Refuses it. */
    NONE,
    /** Stores into a mapping, never forced to a device: they survive PROCESS_CRASH. */
    PLAIN,
    /** Stores into a mapping, forced through the file system: the class is the file system's. */
    FORCED
}
