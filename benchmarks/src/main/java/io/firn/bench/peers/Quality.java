package io.firn.bench.peers;

import java.util.List;
import java.util.Map;

/**
 * How much some runs were disturbed.
 *
 * @param runs how many count
 * @param dropped how many more were dropped
 * @param disturbed how many count although others disturbed them, because all repetitions were
 *     worse
 * @param own how many had pressure from their own threads only
 * @param pressure the highest of those that count, in percent
 */
record Quality(int runs, int dropped, int disturbed, int own, double pressure) {
    static Quality of(List<Map<String, String>> runs) {
        int dropped = 0;
        int disturbed = 0;
        int own = 0;
        double pressure = 0;
        for (Map<String, String> figures : runs) {
            Disturbance disturbance = Runner.disturbance(figures);
            dropped += Integer.parseInt(figures.getOrDefault(Results.DROPPED, "0"));
            disturbed += disturbance.isTooMuch() ? 1 : 0;
            own += disturbance.isOwn() ? 1 : 0;
            pressure = Math.max(pressure, disturbance.pressure());
        }
        return new Quality(runs.size(), dropped, disturbed, own, pressure);
    }
}
