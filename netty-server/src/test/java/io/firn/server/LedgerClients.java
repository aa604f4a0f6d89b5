package io.firn.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The processes of one {@link LedgerWriter}: one after another, or two at a time, of which the
 * older one is stopped.
 */
final class LedgerClients {
    private final String bootstrap;
    private final int number;
    private final Ledger ledger;
    private final Path errors;
    private final List<One> running = new ArrayList<>();
    private int started;
    private int kills;
    private int stops;

    LedgerClients(String bootstrap, int number, Ledger ledger, Path directory) {
        this.bootstrap = bootstrap;
        this.number = number;
        this.ledger = ledger;
        this.errors = directory.resolve("writer-" + number + ".txt");
    }

    /** A process, and the thread that hears it. */
    private final class One {
        private final Process process;
        private final Thread listener;
        private boolean hasClient;

        One() throws IOException {
            List<String> command =
                    List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-Xmx64m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            LedgerWriter.class.getName(),
                            bootstrap,
                            Integer.toString(number),
                            Integer.toString(started++));
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().remove("JAVA_TOOL_OPTIONS");
            builder.environment().remove("JDK_JAVA_OPTIONS");
            process = builder.redirectError(Redirect.appendTo(errors.toFile())).start();
            listener = new Thread(this::listen, "listener");
            listener.setDaemon(true);
            listener.start();
        }

        private void listen() {
            try (BufferedReader said =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
                for (String line; (line = said.readLine()) != null; ) {
                    if (!line.contains(" ")) {
                        return; // cut off
                    }
                    ledger.note(line);
                    if (line.contains(" client ")) {
                        hasClient();
                    }
                }
            } catch (IOException e) {
                return; // killed
            }
        }

        private synchronized void hasClient() {
            hasClient = true;
            notifyAll();
        }

        synchronized void awaitClient() throws InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Running.HANGS_AFTER_S);
            while (!hasClient && process.isAlive()) {
                wait(100);
                require(System.nanoTime() - deadline < 0, this + " gets no client");
            }
        }

        void kill() throws InterruptedException {
            // Not the process itself: that would close the pipe with what is still in it.
            process.toHandle().destroyForcibly();
            process.waitFor();
            listener.join();
        }

        void end() throws IOException, InterruptedException {
            process.getOutputStream().close();
            boolean hasEnded = process.waitFor(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            if (!hasEnded) {
                kill();
            }
            listener.join();
            require(hasEnded, this + " hangs");
            if (process.exitValue() != 0) {
                throw new IllegalStateException(this + " failed:\n" + Files.readString(errors));
            }
        }

        @Override
        public String toString() {
            return LedgerWriter.nameOf(number);
        }
    }

    /** Starts a process if none is running: those that were fenced have ended. */
    void revive() throws IOException, InterruptedException {
        for (One each : List.copyOf(running)) {
            if (!each.process.isAlive()) {
                running.remove(each);
                each.end();
            }
        }
        if (running.isEmpty()) {
            running.add(new One());
        }
    }

    /** Waits until the process writes. */
    void awaitClient() throws InterruptedException {
        for (One each : running) {
            each.awaitClient();
        }
    }

    /** Ends all processes as a power switch would. */
    void kill() throws InterruptedException {
        for (One each : running) {
            each.kill();
            kills++;
        }
        running.clear();
    }

    /**
     * Stops the process, for longer than its transaction may take; in the meantime another one of
     * the same name may have come.
     */
    void stop(boolean isReplaced) throws IOException, InterruptedException {
        if (running.size() != 1) {
            return;
        }
        long pid = running.get(0).process.pid();
        Signals.stop(pid);
        stops++;
        try {
            if (isReplaced) {
                One other = new One();
                running.add(other);
                other.awaitClient();
            } else {
                Thread.sleep(LedgerWriter.TIMEOUT_MS + 1_500);
            }
        } finally {
            Signals.resume(pid);
        }
    }

    /** Lets them end what they do. */
    void end() throws IOException, InterruptedException {
        for (One each : running) {
            each.end();
        }
        running.clear();
    }

    /** Leaves no process behind. */
    void close() {
        running.forEach(each -> each.process.destroyForcibly());
    }

    int kills() {
        return kills;
    }

    int stops() {
        return stops;
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }
}
