package io.firn.medium;

import java.io.IOException;

/**
 * Runs a call in a thread of its own, which no other code knows and can interrupt. If {@link
 * java.nio.channels.FileChannel#map} is interrupted, it may create a mapping that it does not
 * return and that stays until the process ends.
 */
final class UndisturbedCall<T> implements Runnable {

    /** The call. */
    @FunctionalInterface
    interface Task<T> {
        /** Makes the call. */
        T call() throws IOException;
    }

    private final Task<T> task;
    private T result;
    private IOException ioException;
    private RuntimeException runtimeException;
    private Error error;

    private UndisturbedCall(Task<T> task) {
        this.task = task;
    }

    /** Calls the task and waits for it despite interrupts; the interrupt status is kept. */
    static <T> T of(Task<T> task) throws IOException {
        UndisturbedCall<T> call = new UndisturbedCall<>(task);
        Thread thread = new Thread(null, call, "firn-map", 0, false);
        thread.setDaemon(true);
        thread.start();
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return call.outcome();
    }

    @Override
    public void run() {
        try {
            result = task.call();
        } catch (IOException e) {
            ioException = e;
        } catch (RuntimeException e) {
            runtimeException = e;
        } catch (Error e) {
            error = e;
        }
    }

    private T outcome() throws IOException {
        if (ioException != null) {
            throw ioException;
        }
        if (runtimeException != null) {
            throw runtimeException;
        }
        if (error != null) {
            throw error;
        }
        return result;
    }
}
