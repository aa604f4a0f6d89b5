package io.firn.kill;

/** Many kills, and what they showed. */
interface KillRun {
    /** Kills as often as it is to, and checks in between and at the end. */
    void run() throws Exception;

    /** Says what happened. */
    void summarize();
}
