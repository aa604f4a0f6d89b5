package io.firn.server;

import io.firn.InvalidOptionException;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Gives threads that somebody else makes the name of their work and a number. Thread-safe. */
final class NamedThreadFactory implements ThreadFactory {
    private final ThreadFactory factory;
    private final String prefix;
    private final AtomicInteger made = new AtomicInteger();

    NamedThreadFactory(ThreadFactory factory, String prefix) {
        this.factory = factory;
        this.prefix = prefix;
    }

    /** Makes daemon threads of netty's kind, whose thread-locals are quick. */
    static Thread daemon(Runnable task) {
        Thread thread = new FastThreadLocalThread(task);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public Thread newThread(Runnable task) {
        String name = prefix + made.incrementAndGet();
        Thread thread = factory.newThread(task);
        if (thread == null) {
            throw new InvalidOptionException("the thread factory made no thread for " + name);
        }
        thread.setName(name);
        return thread;
    }
}
