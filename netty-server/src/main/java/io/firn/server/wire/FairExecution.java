package io.firn.server.wire;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Lets clients take turns on the threads that they share: a client with very many connections, each
 * with work of its own, has as many turns as one with a single connection. Thread-safe.
 */
final class FairExecution {
    private final Map<Executor, Line> lines = new ConcurrentHashMap<>();

    /** Has a task run on an executor when it is the client's turn, after its earlier ones. */
    void execute(Executor executor, String owner, Runnable task) {
        Line line = lines.computeIfAbsent(executor, key -> new Line());
        line.add(owner, task);
        executor.execute(line::runNext); // one for each task, but not necessarily this one
    }

    /** Returns the turns of a connection, which are those of its client. */
    SerialExecutor.Threads of(ClientConnection connection) {
        return new SerialExecutor.Threads() {
            @Override
            public void execute(Executor executor, Runnable step) {
                FairExecution.this.execute(executor, connection.owner(), step);
            }

            @Override
            @SuppressWarnings("FutureReturnValueIgnored") // it ends with the event loop
            public void later(long ms, Runnable action) {
                connection.eventLoop().schedule(action, ms, TimeUnit.MILLISECONDS);
            }
        };
    }

    /** The tasks for one executor. */
    private static final class Line {
        /** Never empty queues, in the order of the clients' turns. Guarded by this. */
        private final Map<String, Queue<Runnable>> byOwner = new LinkedHashMap<>();

        synchronized void add(String owner, Runnable task) {
            byOwner.computeIfAbsent(owner, key -> new ArrayDeque<>(2)).add(task);
        }

        void runNext() {
            next().run();
        }

        private synchronized Runnable next() {
            Iterator<Map.Entry<String, Queue<Runnable>>> first = byOwner.entrySet().iterator();
            Map.Entry<String, Queue<Runnable>> turn = first.next();
            first.remove();
            Runnable task = turn.getValue().poll();
            if (!turn.getValue().isEmpty()) {
                byOwner.put(turn.getKey(), turn.getValue()); // as the last one
            }
            return task;
        }
    }
}
