package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.StoredRecord;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.sim.FirstRunOnly;
import io.firn.stream.TailerPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Flow;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.ITestResult;
import org.testng.TestListenerAdapter;
import org.testng.TestNG;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** The Reactive Streams TCK, which is made of TestNG tests; half a minute, mostly of waiting. */
@FirstRunOnly
class PublisherRulesTest {
    @TempDir private static Path directory;

    @Test
    void shouldFollowTheRulesOfReactiveStreams() {
        TestListenerAdapter results = new TestListenerAdapter();
        TestNG tck = new TestNG(false);
        tck.setVerbose(0);
        tck.setTestClasses(new Class<?>[] {Rules.class});
        tck.addListener(results);
        tck.run();
        String failures =
                results.getFailedTests().stream()
                        .map(test -> test.getName() + ": " + test.getThrowable())
                        .collect(Collectors.joining("\n"));
        assertEquals("", failures);
        assertEquals(
                0,
                results.getSkippedTests().stream()
                        .map(ITestResult::getName)
                        .filter(name -> name.startsWith("required_"))
                        .count(),
                () -> results.getSkippedTests().toString());
        assertTrue(results.getPassedTests().size() > 25, results.getPassedTests().toString());
    }

    /** What is tested; public for TestNG. */
    public static final class Rules extends FlowPublisherVerification<StoredRecord> {
        private static final int MOST = 5_000;
        private static final long PATIENCE_MS = 10_000;
        private static final long SILENCE_MS = 100;
        private static final long BEFORE_GC_MS = 1_000;
        private static final int MOST_GCS = 30;

        private LogStore store;

        /** For TestNG. */
        public Rules() {
            super(new TestEnvironment(PATIENCE_MS, SILENCE_MS), BEFORE_GC_MS);
        }

        /** The TCK collects garbage once, and looks for a tenth of a second whether it is gone. */
        @Override
        @org.testng.annotations.Test
        public void
                required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber()
                        throws Throwable {
            for (int gcs = 1; ; gcs++) {
                try {
                    super
                            .required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber();
                    return;
                } catch (AssertionError e) {
                    if (gcs == MOST_GCS) {
                        throw e;
                    }
                    setUp(); // forgets the error
                }
            }
        }

        /** Opens a store with all records that a test can ask for. */
        @BeforeClass
        public void open() throws IOException {
            store = Stores.at(Files.createTempDirectory(directory, "tck")).open();
        }

        @AfterClass
        public void close() {
            store.close();
        }

        @Override
        public Flow.Publisher<StoredRecord> createFlowPublisher(long elements) {
            String name = "t" + elements;
            Topic topic;
            synchronized (this) {
                boolean isNew = !store.hasTopic(name);
                topic = store.ensureTopic(name, TopicOptions.defaults());
                if (isNew) {
                    fill(topic, elements);
                }
            }
            return TailerPublisher.of(topic::openTailer).withEndAtVisibleEnd();
        }

        private static void fill(Topic topic, long elements) {
            try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                for (long i = 0; i < Math.min(MOST, elements); i++) {
                    appender.append(Stores.numbered(i, 8));
                }
            }
        }

        @Override
        public Flow.Publisher<StoredRecord> createFailedFlowPublisher() {
            return TailerPublisher.of(
                    () -> {
                        throw new IllegalStateException("no tailer, on purpose");
                    });
        }
    }
}
