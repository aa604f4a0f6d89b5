package io.firn.kill;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Topic;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;

/** The JVM that appends for readers in other processes until it is killed. */
final class FeedChild {
    private static final int MOST_IN_ROW = 30;
    private static final long MOST_PAUSE_NS = 3_000_000;

    private FeedChild() {}

    /** Run with the directory, the class of the {@link Ground}, and a seed. */
    public static void main(String[] arguments) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, e) -> {
                    e.printStackTrace();
                    Runtime.getRuntime().halt(2);
                });
        Ground ground = (Ground) Class.forName(arguments[1]).getDeclaredConstructor().newInstance();
        SplittableRandom random = new SplittableRandom(Long.parseLong(arguments[2]));
        LogStore store = Feed.store(Path.of(arguments[0]), ground).open();
        for (int lane = 0; lane < Feed.LANES; lane++) {
            Topic topic = Feed.create(store, Feed.topicOf(lane));
            Appender appender = topic.partition(Feed.partitionOf(lane)).openExclusiveAppender();
            SplittableRandom own = random.split();
            boolean waits = lane % 2 == 0;
            new Thread(() -> append(appender, own, waits), "lane " + lane).start();
        }
        System.out.write('w');
        System.out.flush();
    }

    private static void append(Appender appender, SplittableRandom random, boolean waits) {
        while (true) {
            int count = 1 + random.nextInt(MOST_IN_ROW);
            for (int i = 0; i < count; i++) {
                byte[] value = Feed.value(random);
                if (waits) {
                    appender.append(value);
                } else {
                    while (appender.tryAppend(new UnsafeBuffer(value), 0, value.length) < 0) {
                        LockSupport.parkNanos(50_000);
                    }
                }
            }
            LockSupport.parkNanos(random.nextLong(MOST_PAUSE_NS));
        }
    }
}
