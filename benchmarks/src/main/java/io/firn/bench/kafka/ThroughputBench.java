package io.firn.bench.kafka;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Measures throughput and processor time of both servers, in turns, under the same loads. */
final class ThroughputBench {
    private static final int PRODUCERS = 3;
    private static final int MEMORY_MB = 500;
    private static final int WARM_RECORDS = 600_000; // of 1024 and of 100 B, in both batches
    private static final double WARM_GB = 1; // by the load that costs little, before
    private static final double MB = 1 << 20;
    private static final double GB = 1e9;

    private final Contenders contenders;
    private final Tools tools;
    private final int turns;
    private final List<Integer> sizes;
    private final List<Batches> batches;
    private final boolean consumes;
    private final PrintStream out;

    /**
     * Creates the benchmark.
     *
     * @param sizes lengths of the records' values, of 1024 and 100
     * @param batches of which size; single ones are in addition, where they are measured
     * @param consumes whether what was produced is consumed, too
     */
    ThroughputBench(
            Contenders contenders,
            Tools tools,
            int turns,
            List<Integer> sizes,
            List<Batches> batches,
            boolean consumes,
            PrintStream out) {
        this.contenders = contenders;
        this.tools = tools;
        this.turns = turns;
        this.sizes = sizes;
        this.batches = batches;
        this.consumes = consumes;
        this.out = out;
    }

    /** How a producer batches. One record per batch is slow and gets only a share of the bytes. */
    enum Batches {
        SINGLE(", one by one", 20, "batch.size=0"),
        DEFAULT("", 1),
        LARGE(", 160 KB", 1, "batch.size=163840", "linger.ms=5");

        private final String label;
        private final int share;
        private final List<String> settings;

        Batches(String label, int share, String... settings) {
            this.label = label;
            this.share = share;
            this.settings = List.of(settings);
        }
    }

    private record Load(int bytes, String acks, Batches batches, int producers) {
        String name() {
            return bytes
                    + " B, acks="
                    + acks
                    + batches.label
                    + (producers == 1 ? "" : ", x" + producers);
        }

        List<String> settings() {
            List<String> all = new ArrayList<>(batches.settings);
            all.add("acks=" + acks);
            return all;
        }
    }

    private List<Load> loads(boolean isForced) {
        List<Load> loads = new ArrayList<>();
        if (isForced) {
            loads.add(new Load(1024, "all", Batches.SINGLE, 1));
            loads.add(new Load(1024, "all", Batches.SINGLE, PRODUCERS));
        }
        for (int bytes : sizes) {
            for (Batches each : batches) {
                if (!isForced) {
                    loads.add(new Load(bytes, "1", each, 1));
                }
                loads.add(new Load(bytes, "all", each, 1));
                loads.add(new Load(bytes, "all", each, PRODUCERS));
            }
        }
        return loads;
    }

    /** The result of one run; only the bytes of values are counted. */
    private record Result(
            double mbPerSecond,
            double cpuPerGb,
            double compilersPerGb,
            double p50Ms,
            double p99Ms,
            double consumeMbPerSecond,
            double consumeCpuPerGb) {}

    /**
     * Compares both servers under all loads.
     *
     * @param isForced whether records are forced before they are acknowledged
     * @param firn settings of Firn's server
     * @param megabytes MB of values in a run
     */
    void run(String what, boolean isForced, List<String> firn, int megabytes) throws Exception {
        out.printf(
                "%n%s; %d MB a run, one by one %d; medians of %d turns%n",
                what, megabytes, megabytes / Batches.SINGLE.share, turns);
        out.printf(
                "%-28s %-6s %8s %8s %8s %8s %8s %8s %8s  %s%n",
                "",
                "",
                "MB/s",
                "CPU s/GB",
                "JIT",
                "p50 ms",
                "p99 ms",
                "out MB/s",
                "CPU s/GB",
                "CPU s/GB of each turn");
        String suffix = isForced ? "-forced" : "";
        try (Broker ours = contenders.firn("firn" + suffix, firn).start();
                Broker theirs = contenders.kafka("kafka" + suffix).start()) {
            List<Broker> both = List.of(theirs, ours);
            for (Broker each : both) {
                warm(each, isForced);
            }
            List<Load> loads = loads(isForced);
            Map<Load, List<List<Result>>> results = new HashMap<>();
            loads.forEach(each -> results.put(each, List.of(newList(), newList())));
            int number = 0;
            for (int turn = 0; turn < turns; turn++) {
                for (Load load : loads) {
                    String topic = "t" + number++;
                    for (int i = 0; i < 2; i++) {
                        Contenders.create(both.get(i), topic, isForced);
                        results.get(load).get(i).add(run(both.get(i), topic, load, megabytes));
                    }
                    if (turn == turns - 1) {
                        print(load.name(), results.get(load).get(0), results.get(load).get(1));
                    }
                }
            }
            for (Broker each : both) {
                out.printf(
                        Locale.ROOT,
                        "%-6s started in %.0f ms; RSS %.0f MB, of it anonymous %.0f MB%n",
                        each.name(),
                        each.startMs(),
                        each.memoryMb("VmRSS"),
                        each.memoryMb("RssAnon"));
            }
        }
    }

    private static List<Result> newList() {
        return new ArrayList<>();
    }

    /** Produces and consumes until the JIT compiler has compiled most of the code. */
    private void warm(Broker broker, boolean isForced) throws Exception {
        if (!isForced) {
            ServerLoad.producing(ServerLoad.Kind.PRODUCE, 16, (short) 1, 1, WARM_GB, 60, 0)
                    .run(broker, "warm", 4, 5);
        }
        for (Batches each : List.of(Batches.LARGE, Batches.DEFAULT)) {
            for (int bytes : List.of(1024, 100)) {
                Load load = new Load(bytes, "all", each, 1);
                long records = isForced ? WARM_RECORDS / 10 : WARM_RECORDS;
                String topic = "warm-" + bytes + each;
                Contenders.create(broker, topic, isForced);
                tools.produce(broker, topic, records, bytes, load.settings());
                tools.consume(broker, topic, records);
            }
        }
    }

    private Result run(Broker broker, String topic, Load load, int megabytes) throws IOException {
        long records = megabytes * 1_000_000L / load.batches.share / load.bytes;
        double gb = records * (double) load.bytes / GB;
        Trees.warmMemory(contenders.directory(), 2 * megabytes + MEMORY_MB);
        double compilers = broker.compilerSeconds();
        double before = broker.cpuSeconds();
        Tools.Produced produced =
                tools.produce(broker, topic, records, load.bytes, load.settings(), load.producers);
        double between = broker.cpuSeconds();
        compilers = broker.compilerSeconds() - compilers;
        double consumed =
                consumes
                        ? tools.consume(broker, topic, records / load.producers * load.producers)
                        : 0;
        double after = broker.cpuSeconds();
        return new Result(
                produced.mbPerSecond() * MB / 1e6,
                (between - before) / gb,
                compilers / gb,
                produced.p50Ms(),
                produced.p99Ms(),
                consumed * MB / 1e6,
                (after - between) / gb);
    }

    private static Result median(List<Result> results) {
        return results.stream()
                .sorted(Comparator.comparingDouble(Result::cpuPerGb))
                .toList()
                .get(results.size() / 2);
    }

    private void print(String name, List<Result> theirTurns, List<Result> ourTurns) {
        print(name, "Kafka", theirTurns);
        print("", "Firn", ourTurns);
        Result theirs = median(theirTurns);
        Result ours = median(ourTurns);
        out.printf(
                Locale.ROOT,
                "%-28s %-6s %8.2f %8.2f %8s %8s %8s %8.2f %8.2f%n",
                "",
                "ratio",
                ours.mbPerSecond / theirs.mbPerSecond,
                ours.cpuPerGb / theirs.cpuPerGb,
                "",
                "",
                "",
                ours.consumeMbPerSecond / theirs.consumeMbPerSecond,
                ours.consumeCpuPerGb / theirs.consumeCpuPerGb);
    }

    private void print(String name, String who, List<Result> turnsOf) {
        Result result = median(turnsOf);
        String all =
                turnsOf.stream()
                        .map(each -> String.format(Locale.ROOT, "%.2f", each.cpuPerGb()))
                        .collect(Collectors.joining(", "));
        out.printf(
                Locale.ROOT,
                "%-28s %-6s %8.1f %8.2f %8.2f %8.0f %8.0f %8.1f %8.2f  %s%n",
                name,
                who,
                result.mbPerSecond,
                result.cpuPerGb,
                result.compilersPerGb,
                result.p50Ms,
                result.p99Ms,
                result.consumeMbPerSecond,
                result.consumeCpuPerGb,
                all);
    }
}
