package io.firn;

/** What a forced record survives, as a tier really gives it. Ordered: later is stronger. */
public enum DurabilityClass {
    /** The end of the process, killed or not; not a power cut. Memory file systems, page caches. */
    PROCESS_CRASH,
    /** A power cut: persistent memory, or a file forced to its device. */
    POWER_FAIL
}
