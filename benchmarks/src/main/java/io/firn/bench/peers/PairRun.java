package io.firn.bench.peers;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Starts the two JVMs of a run, in an empty directory, and returns what they measured. */
final class PairRun {
    private static final long MORE_MS = 60_000;
    private static final long SETTLE_MS = 300;

    private final String peersClassPath;

    /** The class path of what is apart; empty if it could not be obtained. */
    PairRun(String peersClassPath) {
        this.peersClassPath = peersClassPath;
    }

    /**
     * What a run has measured.
     *
     * @param figures of the reader
     * @param writerCpu percent of a core
     */
    record Result(Map<String, String> figures, double writerCpu) {
        double readerCpu() {
            return Double.parseDouble(figures.get(PairChild.CPU));
        }

        /** Returns a percentile in ns. */
        double percentile(double percentile, int rate) {
            return Double.parseDouble(figures.get(Metric.percentile(percentile).at(rate).key()));
        }

        /** Returns the percent of the time in which some task waited for a CPU. */
        double pressure() {
            return Double.parseDouble(figures.get(Child.PRESSURE));
        }

        /** Returns the CPU time of other processes, percent of a core. */
        double foreign() {
            return Math.max(0, Double.parseDouble(figures.get(Child.FOREIGN)) - writerCpu);
        }
    }

    /** Runs a plan in a directory that is created in another one, and deleted. */
    Result run(Pair pair, Path parent, PairChild.Plan like)
            throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(parent, "firn-pair-");
        PairChild.Plan plan =
                new PairChild.Plan(
                        pair, like.bytes(), like.rate(), like.warmMs(), like.ms(), directory);
        List<Process> processes = new CopyOnWriteArrayList<>();
        Runnable kill = () -> processes.forEach(Process::destroyForcibly);
        Thread killer = new Thread(kill);
        Runtime.getRuntime().addShutdownHook(killer);
        Thread timer =
                new Thread(
                        () -> {
                            try {
                                Thread.sleep(plan.warmMs() + plan.ms() + MORE_MS);
                                kill.run();
                            } catch (InterruptedException e) {
                                return; // it ended in time
                            }
                        });
        timer.setDaemon(true);
        timer.start();
        try {
            return run(plan, processes);
        } finally {
            timer.interrupt();
            for (Process process : processes) {
                process.destroyForcibly().waitFor();
            }
            Runtime.getRuntime().removeShutdownHook(killer);
            Trees.delete(directory);
        }
    }

    private Result run(PairChild.Plan plan, List<Process> processes)
            throws IOException, InterruptedException {
        Process writer = start(plan, true, processes);
        BufferedReader written = writer.inputReader();
        readTo(PairChild.READY, written);
        BufferedReader read = start(plan, false, processes).inputReader();
        readTo(PairChild.READY, read);
        TimeUnit.MILLISECONDS.sleep(SETTLE_MS);
        writer.getOutputStream().write('\n');
        writer.getOutputStream().flush();
        Map<String, String> ofReader = readTo(PairChild.END, read);
        Map<String, String> ofWriter = readTo(PairChild.END, written);
        return new Result(ofReader, Double.parseDouble(ofWriter.get(PairChild.CPU)));
    }

    private Process start(PairChild.Plan plan, boolean isWriter, List<Process> processes)
            throws IOException {
        List<String> command = Children.java(plan.pair().family(), peersClassPath, PairChild.class);
        command.addAll(List.of(plan.arguments(isWriter)));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        processes.add(process);
        return process;
    }

    /** Returns the figures that come before a line; throws with the first exception printed. */
    private static Map<String, String> readTo(String last, BufferedReader lines)
            throws IOException {
        Map<String, String> figures = new TreeMap<>();
        String why = "no output";
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.equals(last)) {
                return figures;
            }
            if (line.startsWith(Child.FIGURE)) {
                int equals = line.indexOf('=');
                figures.put(
                        line.substring(Child.FIGURE.length(), equals), line.substring(equals + 1));
            } else if (!Children.isReason(why)) {
                why = line;
            }
        }
        throw new IOException("a process ended: " + why.trim());
    }
}
