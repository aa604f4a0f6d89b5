package io.firn.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;

/**
 * A store's duty cycles and who runs them. Two threads, so that what appenders wait for never
 * queues behind housekeeping: {@code firn-force} forces and seals, {@code firn-tidy} prepares
 * blocks and tidies up. A store that only reads has one, {@code firn-follow}. In invoker mode the
 * caller of {@link #invoke} is all of them.
 */
final class Background {
    private static final System.Logger LOG = System.getLogger("io.firn");
    private static final long RELEASE_WAIT_NS = 1_000_000_000;

    private final Store store;
    private final StoreConfig config;
    private final Retries forcing = new Retries();
    private final Retries tidying = new Retries();
    private final Rounds forceRounds;
    private final Rounds tidyRounds;
    private final AppendGate invoking = new AppendGate();
    private final List<AgentRunner> runners = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile Thread forceThread;
    private volatile Thread tidyThread;
    private volatile Thread invoker;
    private volatile boolean closing;
    private volatile boolean closed;
    private long lastCursorsMs;

    Background(Store store) {
        this.store = store;
        this.config = store.config();
        // Who invokes wants all of it done.
        this.forceRounds = new Rounds(forcing, this::forceAll, !config.invokerMode());
        this.tidyRounds = new Rounds(tidying, this::tidyAll, !config.invokerMode());
    }

    void start() {
        if (config.invokerMode()) {
            return;
        }
        if (config.readOnly()) {
            startAgent("firn-follow", this::follow);
        } else {
            forceThread = startAgent("firn-force", this::force);
            tidyThread = startAgent("firn-tidy", this::tidy);
        }
    }

    private Thread startAgent(String name, Retries.Step step) {
        Agent agent =
                new Agent() {
                    @Override
                    public int doWork() throws IOException {
                        return step.run();
                    }

                    @Override
                    public String roleName() {
                        return name;
                    }
                };
        AgentRunner runner =
                new AgentRunner(
                        config.idleStrategy().get(),
                        e -> LOG.log(System.Logger.Level.ERROR, name + " failed", e),
                        null,
                        agent);
        runners.add(runner);
        Thread thread = new Thread(() -> live(name, runner), name);
        threads.add(thread);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /**
     * An agent goes on after an exception, but an {@link Error} or an interrupt ends it. What only
     * it does would be waited for in vain, so everybody is told.
     */
    private void live(String name, AgentRunner runner) {
        Throwable why = null;
        try {
            runner.run();
        } catch (Throwable e) {
            why = e;
        }
        if (!closing) {
            store.onDeath(name, why == null ? new InterruptedException() : why);
        }
    }

    void call(PartitionForcer forcer) {
        forceRounds.call(forcer);
        LockSupport.unpark(forceThread);
    }

    void call(PartitionUpkeep upkeep) {
        tidyRounds.call(upkeep);
        LockSupport.unpark(tidyThread);
    }

    /** Has the housekeeping of the store itself done soon. */
    void hurryTidy() {
        tidyRounds.hurry();
        LockSupport.unpark(tidyThread);
    }

    long errors() {
        return forcing.errors() + tidying.errors();
    }

    /** All of it, once, on the caller's thread. */
    int invoke() {
        if (closed || !invoking.tryEnter()) {
            return 0; // somebody is at it
        }
        invoker = Thread.currentThread();
        try {
            return config.readOnly() ? follow() : force() + tidy();
        } finally {
            invoker = null;
            invoking.leave();
        }
    }

    private int force() {
        store.updateClock();
        return forceRounds.run();
    }

    private int forceAll() {
        int work = 0;
        for (PartitionLog log : store.partitions()) {
            work += forceRounds.serveOne(log.forcer());
        }
        return work;
    }

    private int tidy() {
        store.updateClock();
        return tidyRounds.run();
    }

    private int tidyAll() {
        int work = 0;
        for (PartitionLog log : store.partitions()) {
            work += tidyRounds.serveOne(log.upkeep());
        }
        if (store.hasDying()) {
            for (TopicLog topic : store.dying()) {
                work += bury(topic);
            }
        }
        long now = store.clock().time();
        store.spareSpace().run(now);
        if (now - lastCursorsMs >= config.cursorIntervalMs() || now < lastCursorsMs) {
            lastCursorsMs = now;
            store.topics().forEach(this::writeCursors);
        }
        return work;
    }

    private int follow() {
        store.updateClock();
        return tidying.run(store, () -> store.follower().refresh());
    }

    // ---- the steps of closing, on the closer's thread, when the agents have ended

    /** Whether the caller is doing the background's work, and so cannot wait for its end. */
    boolean isAtWork() {
        Thread caller = Thread.currentThread();
        return caller == invoker || threads.contains(caller);
    }

    /** Whether the caller is whom those wait for who need a block. */
    boolean isTidying() {
        Thread caller = Thread.currentThread();
        return caller == tidyThread || caller == invoker;
    }

    /** Ends the threads. */
    void close() {
        boolean interrupted = Thread.interrupted();
        closing = true;
        runners.forEach(AgentRunner::close);
        // An interrupt ends the runner's wait, and its thread would work on beside the closer.
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (config.invokerMode()) {
            invoking.enter(); // and keeps it: nobody invokes a closed store
        }
        tidying.backOffNoMore(); // from here on they are the closer's
        closed = true;
    }

    void writeCursors(TopicLog topic) {
        tidying.run(
                topic,
                () -> {
                    topic.writeCursors();
                    return 0;
                });
    }

    int bury(TopicLog topic) {
        return tidying.run(topic, () -> store.bury(topic));
    }

    /** Everything durable, and written down where it stands. */
    void settle(PartitionLog log) {
        log.forcer().forceNow();
        tidying.run(
                log,
                () -> {
                    log.upkeep().settle(store.clock().time());
                    return 0;
                });
    }

    /** Gives readers the time to finish their polls; what they still hold then stays mapped. */
    void awaitRelease(List<PartitionLog> logs) {
        long deadline = System.nanoTime() + RELEASE_WAIT_NS;
        for (PartitionLog log : logs) {
            tidying.run(
                    log,
                    () -> {
                        while (!log.upkeep().isReleased() && System.nanoTime() < deadline) {
                            LockSupport.parkNanos(50_000);
                        }
                        return 0;
                    });
        }
    }
}
