package io.firn.bench.kafka;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Measures the time from the start of a server to its first response, and its memory then. */
final class StartBench {
    private static final int STARTS = 5;

    private final Contenders contenders;
    private final PrintStream out;

    StartBench(Contenders contenders, PrintStream out) {
        this.contenders = contenders;
        this.out = out;
    }

    /**
     * Starts each server several times; the first start begins with an empty directory.
     *
     * @param ownOptions the JVM options with which bin/firn server starts the server
     */
    void run(List<String> ownOptions) throws Exception {
        out.printf(
                "%ntime from start to the first response, medians of %d; memory at that moment%n",
                STARTS);
        out.printf("%-34s %8s %8s %10s%n", "", "ms", "RSS MB", "RssAnon MB");
        Path place = Files.createDirectories(contenders.directory().resolve("start"));
        start("Kafka", contenders.kafka("start-kafka"));
        start("Firn, same options", contenders.firn("start-firn", List.of()));
        start("Firn, as bin/firn server", contenders.firnWith(ownOptions, place));
    }

    private void start(String name, Broker broker) throws IOException {
        List<Double> ms = new ArrayList<>();
        double rss = 0;
        double anonymous = 0;
        for (int i = 0; i < STARTS; i++) {
            try (broker) {
                broker.start();
                ms.add(broker.startMs());
                rss = broker.memoryMb("VmRSS");
                anonymous = broker.memoryMb("RssAnon");
            }
        }
        ms.sort(null);
        out.printf(
                Locale.ROOT,
                "%-34s %8.0f %8.0f %10.0f%n",
                name,
                ms.get(STARTS / 2),
                rss,
                anonymous);
    }
}
