package io.firn.trouble;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.firn.Appender;
import io.firn.Finding;
import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicAppender;
import io.firn.Transaction;
import io.firn.file.FileTier;
import java.io.File;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application server whose threads live on when an application with a store goes. */
class RedeployTest {
    private static final int ROUNDS = 5;

    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    @TempDir private Path directory;

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    /** What the application does with its store; loaded by its own class loader. */
    public static final class Application implements Runnable, Finding.Listener {
        private final Path directory;
        private LogStore store;

        public Application(Path directory) {
            this.directory = directory;
        }

        @Override
        public void run() {
            if (store == null) {
                store =
                        LogStore.at(directory.resolve("store"))
                                .tier(FileTier.at(directory.resolve("tier")))
                                .findingListener(this)
                                .open();
                use(store.ensureTopic("orders", Disk.SMALL.withPartitions(2)));
            } else {
                use(store.openTopic("orders"));
                store.close();
            }
        }

        @Override
        public void onBegin(Finding finding) {
            throw new AssertionError(finding.toString());
        }

        @Override
        public void onEnd(Finding finding) {
            throw new AssertionError(finding.toString());
        }

        private void use(Topic topic) {
            byte[] bytes = "bytes".getBytes(StandardCharsets.UTF_8);
            Partition partition = topic.partition(0);
            try (Appender appender = partition.openAppender();
                    TopicAppender ofTopic = topic.openAppender()) {
                appender.append(bytes);
                appender.append(bytes, bytes);
                appender.appendFuture(appender.newBatch().add(bytes, bytes)).join();
                ofTopic.append(bytes, bytes);
            }
            try (Transaction transaction = store.beginTransaction()) {
                transaction.append(partition, bytes, bytes);
                transaction.commit();
            }
            try (Tailer tailer =
                    topic.openTailer(
                            TailerOptions.defaults()
                                    .withIsolation(IsolationLevel.READ_COMMITTED))) {
                long[] read = {0};
                while (read[0] < 4) {
                    tailer.poll(
                            record -> {
                                read[0]++;
                                return Action.CONTINUE;
                            },
                            100);
                }
            }
        }
    }

    @Test
    void shouldLetTheClassesOfAClosedStoreBeUnloaded() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            WeakReference<ClassLoader> loader = deploy(directory.resolve("round-" + i));
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANGS_AFTER_S);
            while (loader.get() != null && System.nanoTime() < end) {
                System.gc();
                Thread.sleep(10);
            }
            assertNull(loader.get(), "the class loader of round " + i + " is still reachable");
        }
    }

    private WeakReference<ClassLoader> deploy(Path place) throws Exception {
        URLClassLoader loader =
                new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader());
        Runnable application =
                (Runnable)
                        loader.loadClass(Application.class.getName())
                                .getConstructor(Path.class)
                                .newInstance(place);
        for (int i = 0; i < 2; i++) {
            threads.submit(application).get();
        }
        loader.close();
        return new WeakReference<>(loader);
    }

    private static URL[] classPath() throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(each).toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }
}
