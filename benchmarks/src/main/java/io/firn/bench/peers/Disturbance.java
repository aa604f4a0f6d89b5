package io.firn.bench.peers;

/**
 * How much a run was disturbed.
 *
 * @param pressure percent of the time in which some task waited for a CPU
 * @param foreign CPU time of others, percent of one core
 * @param ms length of the measured sections
 */
record Disturbance(double pressure, double foreign, double ms) {
    /** A run with more pressure is dropped, unless it made the pressure itself. */
    static final double MAX_PRESSURE = 20;

    /** Less CPU time of others than this explains no pressure. */
    static final double MAX_FOREIGN = 5;

    /** CPU time is counted in ticks of 10 ms on each of two or more cores. */
    private static final double TICKS_MS = 20;

    /** Whether the run is to be dropped and repeated. */
    boolean isTooMuch() {
        return pressure > MAX_PRESSURE && !isOwn();
    }

    /**
     * Whether there was pressure although others used no CPU: the run has more busy threads than
     * the machine has cores, and a repetition would change nothing.
     */
    boolean isOwn() {
        return pressure > MAX_PRESSURE && foreign * ms / 100 <= MAX_FOREIGN * ms / 100 + TICKS_MS;
    }
}
