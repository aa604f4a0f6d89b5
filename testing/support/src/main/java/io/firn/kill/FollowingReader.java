package io.firn.kill;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A reader in another process, which is killed and started again where it was. Notes what it saw,
 * and whether it skipped anything.
 */
final class FollowingReader {
    private final String wait;
    private final Path directory;
    private final Ground ground;
    private final Sightings sightings;
    private final long[] next = new long[Feed.LANES];
    private final Path errors;
    private Process process;
    private Thread listener;
    private long seenByThis;
    private long overtaken;
    private String flaw;

    /**
     * Creates it; it does not read yet.
     *
     * @param wait as for {@link FollowChild}
     */
    FollowingReader(String wait, Path directory, Ground ground, Sightings sightings) {
        this.wait = wait;
        this.directory = directory;
        this.ground = ground;
        this.sightings = sightings;
        this.errors = directory.resolve("reader-" + wait + ".txt");
    }

    synchronized void start() throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of(directory.toString(), ground.getClass().getName(), wait));
        for (long offset : next) {
            arguments.add(Long.toString(offset));
        }
        seenByThis = 0;
        process =
                Child.builder(FollowChild.class, arguments.toArray(String[]::new))
                        .redirectError(errors.toFile())
                        .start();
        Process started = process;
        listener = new Thread(() -> listen(started), "listener of " + wait);
        listener.setDaemon(true);
        listener.start();
    }

    private void listen(Process from) {
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(from.getInputStream()))) {
            while (true) {
                hear(in.readByte(), in.readLong(), in.readInt());
            }
        } catch (IOException e) {
            return; // it was killed, perhaps within a report
        }
    }

    private synchronized void hear(int lane, long offset, int sum) {
        if (lane < 0) {
            int of = lane + FollowChild.OVERTAKEN;
            if (offset <= next[of]) {
                fail("was told to go back from " + next[of] + " to " + offset);
            }
            next[of] = offset;
            overtaken++;
            return;
        }
        if (offset != next[lane]) {
            fail("saw offset " + offset + " of lane " + lane + " after " + (next[lane] - 1));
        }
        next[lane] = offset + 1;
        seenByThis++;
        String wrong = sightings.see(toString(), lane, offset, sum);
        if (wrong != null) {
            fail(wrong);
        }
    }

    private void fail(String what) {
        flaw = flaw == null ? this + " " + what : flaw;
    }

    /** Returns what is wrong with what it saw, or with itself; null for nothing. */
    synchronized String flaw() throws IOException {
        return flaw != null || process.isAlive()
                ? flaw
                : this + " ended by itself:\n" + Files.readString(errors);
    }

    /** Whether this process has read something. */
    synchronized boolean hasSeen() {
        return seenByThis > 0;
    }

    /** The next offset of each lane that it has not reported. */
    synchronized long next(int lane) {
        return next[lane];
    }

    synchronized long overtaken() {
        return overtaken;
    }

    /** Kills it, and hears all that it said. */
    void kill() throws InterruptedException {
        if (process == null) {
            return;
        }
        // Not the process itself: that would close the pipe with what is still in it.
        process.toHandle().destroyForcibly();
        process.waitFor();
        listener.join();
    }

    @Override
    public String toString() {
        return "the reader that waits by '" + wait + "'";
    }
}
