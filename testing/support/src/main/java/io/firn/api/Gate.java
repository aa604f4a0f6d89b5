package io.firn.api;

import java.nio.file.Path;

/** Holds whoever comes to it while it is shut; for the hooks of an {@link ObservedMedium}. */
public final class Gate implements ObservedMedium.Hook {
    private boolean shut;
    private int held;

    public synchronized void shut() {
        shut = true;
    }

    public synchronized void open() {
        shut = false;
        notifyAll();
    }

    /** How many it holds now. */
    public synchronized int held() {
        return held;
    }

    @Override
    public synchronized void run(Path file) {
        boolean interrupted = false;
        held++;
        while (shut) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        held--;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
