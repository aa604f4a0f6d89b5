package io.firn.kill;

import static io.firn.api.Waiting.HANGS_AFTER_S;

import io.firn.kill.Report.Kind;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A child process, from the parent's side. */
final class Child implements AutoCloseable {
    /** On Windows, the JDK ends a process with 1. */
    private static final int KILLED = File.separatorChar == '\\' ? 1 : 128 + 9;

    private final Process process;
    private final Path errors;
    private final Thread listener;
    private final List<Report> reports = new ArrayList<>();
    private boolean ended;

    /** Starts a JVM like this one, with small appetite. */
    Child(Path directory, Ground ground, Plan plan) throws IOException {
        errors = directory.resolve("child-errors.txt");
        ProcessBuilder builder =
                builder(KillChild.class, directory.toString(), ground.getClass().getName());
        process = builder.redirectError(errors.toFile()).start();
        try (DataOutputStream out =
                new DataOutputStream(new BufferedOutputStream(process.getOutputStream()))) {
            plan.write(out);
        } catch (IOException e) {
            process.destroyForcibly();
            throw e;
        }
        listener = new Thread(this::listen, "listener");
        listener.setDaemon(true);
        listener.start();
    }

    /** A JVM like this one, with small appetite, that is not started yet. */
    static ProcessBuilder builder(Class<?> program, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xshare:auto",
                        "-Xlog:disable", // warnings of the JVM would be read as reports
                        "-Xlog:all=warning:stderr",
                        "-XX:+DisplayVMOutputToStderr",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        program.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        // What these say would come before the child's own words.
        Map<String, String> environment = builder.environment();
        environment.remove("JAVA_TOOL_OPTIONS");
        environment.remove("JDK_JAVA_OPTIONS");
        return builder;
    }

    private void listen() {
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(process.getInputStream()))) {
            Report report;
            while ((report = Report.read(in)) != null) {
                add(report);
            }
        } catch (IOException e) {
            // The pipe of a killed child may end in an error as well as in silence.
            add(null);
            return;
        }
        add(null);
    }

    private synchronized void add(Report report) {
        if (report == null) {
            ended = true;
        } else {
            reports.add(report);
        }
        notifyAll();
    }

    /** Waits for a report of a kind; false when the child is at its end without one. */
    synchronized boolean await(Kind kind) throws InterruptedException {
        int seen = 0;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANGS_AFTER_S);
        while (true) {
            for (; seen < reports.size(); seen++) {
                if (reports.get(seen).kind() == kind) {
                    return true;
                }
            }
            if (ended || System.nanoTime() - deadline > 0) {
                return false;
            }
            wait(100);
        }
    }

    /** Kills it, and returns all that it said. */
    List<Report> kill() throws InterruptedException {
        // Not the process itself: that would close the pipe with what is still in it.
        process.toHandle().destroyForcibly();
        process.waitFor();
        listener.join();
        return reports;
    }

    /** Whether it was the kill that ended it, now that it has ended. */
    boolean wasKilled() {
        return process.exitValue() == KILLED;
    }

    /** Whether it ended well. */
    boolean endedWell() {
        return process.exitValue() == 0;
    }

    /** What it wrote to its standard error. */
    String errors() throws IOException {
        return Files.readString(errors);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
