package io.firn.server;

import io.firn.BatchTooLargeException;
import io.firn.BusyException;
import io.firn.LogStore;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.server.config.ServerConfig;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * A server in whose process an application reads a topic again and again, and which says what it
 * uses: the arguments are those of {@link ServerMain} with {@code --override} only.
 */
final class ReadingServer {
    /** The topic that is read. */
    static final String TOPIC = "read-here";

    private static final int READERS = 3;
    private static final int SAY_EVERY_MS = 50;

    private static final AtomicLong RECORDS = new AtomicLong();

    private ReadingServer() {}

    /** Serves until it is killed. */
    public static void main(String[] arguments) throws Exception {
        long start = System.nanoTime();
        Map<String, String> settings = new LinkedHashMap<>();
        Arrays.stream(arguments)
                .filter(each -> !each.equals("--override"))
                .map(each -> each.split("=", 2))
                .forEach(each -> settings.put(each[0], each[1]));
        ServerConfig config = ServerConfig.of(settings);
        LogStore store = Storage.open(config).store();
        FirnServer server = FirnServer.of(store).config(config).start();
        System.err.printf(
                "Serving %s on 127.0.0.1:%d after %d ms.%n",
                config.directory(), server.port(), (System.nanoTime() - start) / 1_000_000);
        for (int i = 0; i < READERS; i++) {
            Thread reader = new Thread(() -> read(store), "reader-" + i);
            reader.setDaemon(true);
            reader.start();
        }
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        ObjectName bean =
                beans.queryNames(new ObjectName("io.firn:type=Server,*"), null).iterator().next();
        while (true) {
            Thread.sleep(SAY_EVERY_MS);
            System.err.printf(
                    "Uses queued=%s of=%d read=%d heap=%d%n",
                    beans.getAttribute(bean, "QueuedBytes"),
                    config.number("queued.max.request.bytes"),
                    RECORDS.get(),
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
    }

    private static void read(LogStore store) {
        try {
            while (!store.topicNames().contains(TOPIC)) {
                Thread.sleep(SAY_EVERY_MS);
            }
            try (Tailer tailer = store.openTopic(TOPIC).openTailer()) {
                while (true) {
                    tailer.seekToStart();
                    readToTheEnd(tailer);
                    Thread.sleep(SAY_EVERY_MS); // the processors have other work, too
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void readToTheEnd(Tailer tailer) throws InterruptedException {
        int read = 1;
        while (read > 0) {
            try {
                read = tailer.poll(record -> Action.CONTINUE, 1);
                RECORDS.addAndGet(read);
            } catch (BatchTooLargeException e) {
                tailer.seek(e.partition(), e.toOffset());
            } catch (BusyException e) {
                Thread.sleep(1); // the other readers have all of it
            }
        }
    }
}
