package io.firn.bench.peers;

import java.nio.file.Path;
import java.util.Map;

/** The program of the JVM in which one run takes place. */
public final class Child {
    /** Begins each line with a figure; libraries print lines of their own. */
    static final String FIGURE = "@ ";

    static final String PRESSURE = "pressure";
    static final String FOREIGN = "foreign";
    static final String MEASURED_MS = "measured";

    private Child() {}

    /** Runs: scenario, contender, bytes, directory, quick. */
    public static void main(String[] args) throws Exception {
        Work work =
                Work.of(
                        new Work.Order(
                                Scenario.valueOf(args[0]),
                                Peer.valueOf(args[1]),
                                Integer.parseInt(args[2]),
                                Path.of(args[3]),
                                Boolean.parseBoolean(args[4])));
        work.run();
        Disturbance disturbance = work.meter.disturbance();
        work.figures.put(PRESSURE, Double.toString(disturbance.pressure()));
        work.figures.put(FOREIGN, Double.toString(disturbance.foreign()));
        work.figures.put(MEASURED_MS, Double.toString(disturbance.ms()));
        for (Map.Entry<String, String> figure : work.figures.entrySet()) {
            System.out.println(FIGURE + figure.getKey() + "=" + figure.getValue());
        }
        System.exit(0); // some libraries leave threads behind
    }
}
