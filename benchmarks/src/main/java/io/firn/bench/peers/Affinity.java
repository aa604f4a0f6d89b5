package io.firn.bench.peers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadFactory;

/** Pins threads to processors with the command taskset. Linux only. */
final class Affinity {
    private static final Path SELF = Path.of("/proc/thread-self");

    private Affinity() {}

    /** Returns a factory of daemon threads that run only on some processors, such as 0 or 0,2-3. */
    static ThreadFactory factory(String processors) {
        return body -> {
            Thread thread =
                    new Thread(
                            () -> {
                                pin(processors);
                                body.run();
                            });
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Pins the calling thread. */
    static void pin(String processors) {
        try {
            Process taskset =
                    new ProcessBuilder("taskset", "-p", "-c", processors, Long.toString(id()))
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            if (taskset.waitFor() != 0) {
                throw new IOException("taskset failed for the processors " + processors);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("no thread interrupts a benchmark", e);
        }
    }

    /** Returns the system's number of the calling thread. */
    static long id() throws IOException {
        return Long.parseLong(Files.readSymbolicLink(SELF).getFileName().toString());
    }
}
