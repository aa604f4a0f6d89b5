package io.firn.kafka;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** The processes that were started; each is ended by its id when this one ends. */
public final class Children {
    private static final List<Process> ALL = new CopyOnWriteArrayList<>();

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> ALL.forEach(Process::destroyForcibly)));
    }

    private Children() {}

    /** Starts a process whose output is appended to a file. */
    public static Process start(Path output, List<String> command) throws IOException {
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                        .start();
        ALL.add(process);
        return process;
    }

    /** Ends a process with SIGKILL. */
    public static void kill(Process process) throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
        ALL.remove(process);
    }

    /** Ends a process with SIGTERM, or with SIGKILL if it does not end. */
    public static void stop(Process process) throws InterruptedException {
        process.destroy();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        ALL.remove(process);
    }
}
