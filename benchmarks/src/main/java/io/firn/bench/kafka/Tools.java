package io.firn.bench.kafka;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs Kafka's own tools as processes and parses their output. */
final class Tools {
    private static final Pattern PRODUCED =
            Pattern.compile(
                    "\\d+ records sent, [\\d.]+ records/sec \\(([\\d.]+) MB/sec\\), ([\\d.]+) ms avg"
                            + " latency, [\\d.]+ ms max latency, (\\d+) ms 50th, \\d+ ms 95th, (\\d+)"
                            + " ms 99th, (\\d+) ms 99.9th.*");
    private static final int CONSUMED_FETCH_MB = 8;

    private final List<String> java;
    private final String classPath;

    Tools(List<String> java, String classPath) {
        this.java = java;
        this.classPath = classPath;
    }

    /**
     * The figures that a producer printed.
     *
     * @param mbPerSecond in MiB
     * @param p50Ms from send to acknowledgement, with the time in the producer's queue
     * @param p99Ms likewise
     */
    record Produced(double mbPerSecond, int p50Ms, int p99Ms) {}

    Produced produce(Broker broker, String topic, long records, int bytes, List<String> settings)
            throws IOException {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "org.apache.kafka.tools.ProducerPerformance",
                                "--topic",
                                topic,
                                "--num-records",
                                Long.toString(records),
                                "--record-size",
                                Integer.toString(bytes),
                                "--throughput",
                                "-1",
                                "--bootstrap-server",
                                broker.bootstrap(),
                                "--command-property"));
        arguments.addAll(settings);
        Matcher last = null;
        for (String line : run(arguments)) {
            Matcher matcher = PRODUCED.matcher(line);
            last = matcher.matches() ? matcher : last;
        }
        if (last == null) {
            throw new IOException("ProducerPerformance said nothing");
        }
        return new Produced(
                Double.parseDouble(last.group(1)),
                Integer.parseInt(last.group(3)),
                Integer.parseInt(last.group(4)));
    }

    /**
     * Runs several producers at once, each in a process of its own with an equal share of the
     * records.
     *
     * @return the sum of the throughputs, the worst of the percentiles
     */
    Produced produce(
            Broker broker,
            String topic,
            long records,
            int bytes,
            List<String> settings,
            int producers)
            throws IOException {
        if (producers == 1) {
            return produce(broker, topic, records, bytes, settings);
        }
        ExecutorService threads = Executors.newFixedThreadPool(producers);
        try {
            Callable<Produced> one =
                    () -> produce(broker, topic, records / producers, bytes, settings);
            double mbPerSecond = 0;
            int p50Ms = 0;
            int p99Ms = 0;
            for (Future<Produced> each : threads.invokeAll(Collections.nCopies(producers, one))) {
                Produced produced = each.get();
                mbPerSecond += produced.mbPerSecond;
                p50Ms = Math.max(p50Ms, produced.p50Ms);
                p99Ms = Math.max(p99Ms, produced.p99Ms);
            }
            return new Produced(mbPerSecond, p50Ms, p99Ms);
        } catch (ExecutionException | InterruptedException e) {
            throw new IOException("a producer failed", e);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Reads a topic from its start; returns MiB per second, without the time to join. */
    double consume(Broker broker, String topic, long records) throws IOException {
        return consume(broker, topic, records, List.of());
    }

    /**
     * Reads a topic from its start.
     *
     * @param isNice whether the process has the lowest priority, so that it affects others only by
     *     its load on the server, as if it ran on another machine
     */
    double consume(Broker broker, String topic, long records, boolean isNice) throws IOException {
        return consume(broker, topic, records, isNice ? List.of("nice", "-n", "19") : List.of());
    }

    private double consume(Broker broker, String topic, long records, List<String> prefix)
            throws IOException {
        List<String> lines =
                run(
                        prefix,
                        List.of(
                                "org.apache.kafka.tools.ConsumerPerformance",
                                "--topic",
                                topic,
                                "--num-records",
                                Long.toString(records),
                                "--bootstrap-server",
                                broker.bootstrap(),
                                "--hide-header"));
        for (String line : lines) {
            String[] fields = line.split(",", -1);
            if (fields.length == 10 && Character.isDigit(line.charAt(0))) {
                return Double.parseDouble(fields[CONSUMED_FETCH_MB].trim());
            }
        }
        throw new IOException("ConsumerPerformance said nothing of use: " + lines);
    }

    /** Runs {@link OpenLoop}; returns the lines it printed. */
    List<String> openLoop(Broker broker, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of(OpenLoop.class.getName(), broker.bootstrap()));
        all.addAll(List.of(arguments));
        return run(all);
    }

    private List<String> run(List<String> arguments) throws IOException {
        return run(List.of(), arguments);
    }

    private List<String> run(List<String> prefix, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(java);
        command.addAll(List.of("-cp", classPath));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> lines;
        try (var reader = process.inputReader(StandardCharsets.UTF_8)) {
            lines = reader.lines().toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        try {
            if (process.waitFor() != 0) {
                throw new IOException(arguments + " failed:\n" + String.join("\n", lines));
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return lines;
    }
}
