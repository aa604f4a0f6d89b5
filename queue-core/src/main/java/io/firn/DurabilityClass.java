package io.firn;

/** What a forced record survives in a tier. Ordered from weaker to stronger. */
public enum DurabilityClass {
    /** The death of the process, but no power failure: memory file systems, page caches. */
    PROCESS_CRASH,
    /** A power failure: persistent memory, or a file that is forced to its device. */
    POWER_FAIL
}
