package io.firn.server.wire;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** A connection's turns on the threads of the background, which are those of its client. */
final class BackgroundExecution implements SerialExecutor.Threads {
    private final FairExecution turns;
    private final ClientConnection connection;

    BackgroundExecution(FairExecution turns, ClientConnection connection) {
        this.turns = turns;
        this.connection = connection;
    }

    @Override
    public void execute(Executor executor, Runnable step) {
        turns.execute(executor, connection.owner(), step);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // it ends with the event loop
    public void later(long ms, Runnable action) {
        connection.eventLoop().schedule(action, ms, TimeUnit.MILLISECONDS);
    }
}
