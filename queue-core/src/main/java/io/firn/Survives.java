package io.firn;

/**
 * What a forced record survives in a tier. Ordered from weaker to stronger.
 *
 * @see LogStore
 */
public enum Survives {
    /**
     * The death of the process, and no power failure as far as is known: memory file systems, page
     * caches, and file systems of which Firn does not know what a force does (network file systems,
     * FUSE).
     */
    PROCESS_CRASH,
    /** A power failure: persistent memory, or a file that is forced to its device. */
    POWER_LOSS
}
