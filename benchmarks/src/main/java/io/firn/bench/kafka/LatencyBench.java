package io.firn.bench.kafka;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/** Measures the latency of acknowledged records at a fixed rate. */
final class LatencyBench {
    private static final int LATE_MS = 50;
    private static final double MB = 1 << 20;

    /** Shorter than a replay of 8 GB. */
    private static final int REPLAY_SECONDS = 10;

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
        printHead();
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

    /**
     * Compares the time from the moment at which a record is due until a consumer of committed
     * records has its copy, which an application makes exactly once.
     */
    void runExactlyOnce(String what, boolean isForced, List<String> firn, int turns)
            throws Exception {
        out.printf(
                "%nlatency in us, %s: 1,000 records of 1024 B a second, copied exactly once to"
                        + " another topic, a transaction for each poll; %d turns of %d s%n",
                what, turns, seconds);
        printHead();
        String suffix = isForced ? "-copied-forced" : "-copied";
        List<String> kafka =
                List.of(
                        "transaction.state.log.replication.factor=1",
                        "transaction.state.log.min.isr=1",
                        // of all topics: its state of transactions is to be as durable as Firn's
                        "log.flush.interval.messages=" + (isForced ? 1 : Long.MAX_VALUE));
        try (Broker ours = contenders.firn("firn" + suffix, firn).start();
                Broker theirs = contenders.kafka("kafka" + suffix, kafka).start()) {
            for (int turn = 0; turn < turns; turn++) {
                for (Broker each : List.of(theirs, ours)) {
                    copied(each, "in-" + turn, "out-" + turn);
                }
            }
        }
    }

    private void copied(Broker broker, String from, String to) throws Exception {
        Contenders.create(broker, from, false);
        Contenders.create(broker, to, false);
        List<String> lines =
                tools.openLoop(
                        broker,
                        from,
                        "1000",
                        "1024",
                        "10",
                        Integer.toString(seconds),
                        "all",
                        "true",
                        to);
        for (String line : lines) {
            printPercentiles(broker.name(), line);
            if (line.startsWith("transactions ")) {
                out.printf("%-6s %s%n", broker.name(), line);
            }
        }
    }

    private void printHead() {
        out.printf(
                "%-6s %-14s %8s %8s %8s %8s %8s%n", "", "", "p50", "p90", "p99", "p99.9", "p99.99");
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
     * Measures the latency of one topic of each server: alone, beside a consumer that reads another
     * topic from the disk through a second server of its kind, which shows what the processors and
     * the disk are short of, and beside one that reads through the same server.
     *
     * @param names of the servers
     * @param turns of these three, each with servers started anew
     * @param coldMb MB that the consumer reads
     * @param isNice whether the consumer has the lowest priority
     */
    void runBesideReplay(List<String> names, int turns, int coldMb, boolean isNice)
            throws Exception {
        out.printf(
                "%nlatency in us of 2,000 records of 1024 B a second, acks=all, forced, alone and"
                        + " beside a replay of %d MB from the disk%s%n",
                coldMb, isNice ? " by a client with nice 19" : "");
        for (String name : names) {
            Path place = contenders.directory().resolve("replay-" + name);
            replay(name, turns, coldMb * 1_000_000L / 1024, isNice);
            Trees.delete(place.resolveSibling(place.getFileName() + "-other"));
            Trees.delete(place);
        }
    }

    private void replay(String name, int turns, long records, boolean isNice) throws Exception {
        String other = "replay-" + name + "-other";
        try (Broker cold = server(name, other).start();
                Broker hot = server(name, "replay-" + name).start()) {
            Contenders.create(hot, "hot", true);
            for (Broker each : List.of(cold, hot)) {
                Contenders.create(each, "cold", false);
                tools.produce(each, "cold", records, 1024, List.of("acks=1", "batch.size=163840"));
            }
        }
        for (int turn = 0; turn < turns; turn++) {
            // A new process maps none of the files yet, so they can be evicted from the page cache.
            try (Broker cold = server(name, other).start();
                    Broker hot = server(name, "replay-" + name).start()) {
                tools.openLoop(hot, "hot", "2000", "1024", "5", "5", "all", "false");
                Trees.evict(contenders.directory());
                paced(hot, name, "alone", seconds);
                pacedBeside(cold, hot, name, "other server", records, isNice);
                pacedBeside(hot, hot, name, "same server", records, isNice);
            }
        }
    }

    private Broker server(String name, String directory) throws Exception {
        return name.equals("firn")
                ? contenders.firn(directory, List.of())
                : contenders.kafka(directory);
    }

    private void pacedBeside(
            Broker cold, Broker hot, String name, String what, long records, boolean isNice)
            throws Exception {
        String[] rate = {"no rate"};
        Thread replay =
                new Thread(
                        () -> {
                            try {
                                double mb = tools.consume(cold, "cold", records, isNice) * MB / 1e6;
                                rate[0] = String.format("%.0f MB/s", mb);
                            } catch (IOException e) {
                                rate[0] = "the replay failed: " + e.getMessage();
                            }
                        },
                        "replay");
        replay.start();
        try {
            paced(hot, name, what, REPLAY_SECONDS);
        } finally {
            boolean isRunning = replay.isAlive();
            replay.join();
            out.println(
                    "       replayed with "
                            + rate[0]
                            + (isRunning ? "" : "; it ended before the measurement"));
        }
    }

    private void paced(Broker broker, String name, String what, int time) throws IOException {
        List<String> lines =
                tools.openLoop(
                        broker, "hot", "2000", "1024", "3", Integer.toString(time), "all", "false");
        for (String line : lines) {
            printPercentiles(name, line.replace("acknowledged", what.replace(' ', '-')));
        }
    }
}
