package io.firn.bench.kafka;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;

/** Measures the latency of acknowledged records at a fixed rate. */
final class LatencyBench {
    private static final int LATE_MS = 50;
    private static final double MB = 1 << 20;

    private final Contenders contenders;
    private final Tools tools;
    private final int seconds;
    private final PrintStream out;

    LatencyBench(Contenders contenders, Tools tools, int seconds, PrintStream out) {
        this.contenders = contenders;
        this.tools = tools;
        this.seconds = seconds;
        this.out = out;
    }

    /** Compares the latency of records that are sent at a fixed rate. */
    void run(String what, boolean isForced, List<String> firn) throws Exception {
        out.printf(
                "%nlatency in us, %s: 10,000 records of 1024 B a second, acks=all, linger 0, %d s%n",
                what, seconds);
        out.printf(
                "%-6s %-14s %8s %8s %8s %8s %8s%n", "", "", "p50", "p90", "p99", "p99.9", "p99.99");
        String suffix = isForced ? "-latency-forced" : "-latency";
        try (Broker ours = contenders.firn("firn" + suffix, firn).start();
                Broker theirs = contenders.kafka("kafka" + suffix).start()) {
            for (Broker each : List.of(theirs, ours)) {
                Contenders.create(each, "paced", isForced);
                List<String> lines =
                        tools.openLoop(
                                each,
                                "paced",
                                "10000",
                                "1024",
                                "10",
                                Integer.toString(seconds),
                                "all",
                                "true");
                lines.forEach(line -> printPercentiles(each.name(), line));
            }
        }
    }

    private void printPercentiles(String name, String line) {
        String[] words = line.split(" ", -1);
        if (words[0].equals("late") && Integer.parseInt(words[1]) > LATE_MS) {
            out.printf(
                    "%-6s the sender was late by up to %s ms: the machine is too busy%n",
                    name, words[1]);
        }
        if (words.length == 6 && words[1].matches("[0-9]+")) {
            out.printf(
                    "%-6s %-14s %8s %8s %8s %8s %8s%n",
                    name, words[0], words[1], words[2], words[3], words[4], words[5]);
        }
    }

    /**
     * Measures the latency of one topic, without and with a consumer that reads another topic from
     * the disk.
     *
     * @param coldMb MB that the consumer reads
     */
    void runBesideReplay(int coldMb) throws Exception {
        out.printf(
                "%nlatency in us of 2,000 records of 1024 B a second, acks=all, forced, without and"
                        + " with a replay of %d MB from the disk beside it%n",
                coldMb);
        long records = coldMb * 1_000_000L / 1024;
        try (Broker ours = contenders.firn("replay", List.of()).start()) {
            Contenders.create(ours, "cold", false);
            Contenders.create(ours, "hot", false);
            tools.produce(ours, "cold", records, 1024, List.of("acks=1", "batch.size=163840"));
        }
        // A new process maps none of the files yet, so they can be evicted from the page cache.
        try (Broker ours = contenders.firn("replay", List.of()).start()) {
            tools.openLoop(ours, "hot", "2000", "1024", "5", "5", "all", "false");
            Trees.evict(contenders.directory().resolve("replay"));
            paced(ours, "without");
            Thread replay =
                    new Thread(
                            () -> {
                                try {
                                    double rate = tools.consumeNicely(ours, "cold", records);
                                    out.printf("replayed at %.0f MB/s%n", rate * MB / 1e6);
                                } catch (IOException e) {
                                    out.println("the replay failed: " + e.getMessage());
                                }
                            },
                            "replay");
            replay.start();
            paced(ours, "with");
            out.println(
                    replay.isAlive()
                            ? "the replay was still running"
                            : "the replay had ended before");
            replay.join();
        }
    }

    private void paced(Broker broker, String name) throws IOException {
        String time = Integer.toString(seconds);
        List<String> lines =
                tools.openLoop(broker, "hot", "2000", "1024", "3", time, "all", "false");
        lines.forEach(line -> printPercentiles(name, line));
    }
}
