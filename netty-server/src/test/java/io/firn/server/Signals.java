package io.firn.server;

import java.io.IOException;

/** Signals that Java cannot send. */
final class Signals {
    private Signals() {}

    /** Stops a process: it does nothing, and its connections stay. */
    static void stop(long pid) throws IOException, InterruptedException {
        send("STOP", pid);
    }

    /** Lets a stopped process go on. */
    static void resume(long pid) throws IOException, InterruptedException {
        send("CONT", pid);
    }

    private static void send(String signal, long pid) throws IOException, InterruptedException {
        int code =
                new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                        .inheritIO()
                        .start()
                        .waitFor();
        if (code != 0 && ProcessHandle.of(pid).isPresent()) {
            throw new IOException("no signal " + signal + " for process " + pid);
        }
    }
}
