package io.firn.bench.peers;

/** What an append that returned survives. */
enum Survives {
    NOTHING("nothing"),
    PROCESS_CRASH("process crash"),
    POWER_FAILURE("power failure");

    private final String words;

    Survives(String words) {
        this.words = words;
    }

    /** Returns what remains of the promise on a file system, which may be in memory. */
    Survives on(boolean memory) {
        return memory && this == POWER_FAILURE ? PROCESS_CRASH : this;
    }

    @Override
    public String toString() {
        return words;
    }
}
