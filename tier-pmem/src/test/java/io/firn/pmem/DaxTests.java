package io.firn.pmem;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.platform.engine.discovery.ClassNameFilter.excludeClassNamePatterns;
import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Map;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs the tests of this package where there is no Maven, on persistent memory: in the machine of
 * bin/check dax.
 */
public final class DaxTests {
    private DaxTests() {}

    /**
     * {@code all} runs all; {@code mounted} leaves out those on simulated media, which know of no
     * provider. Patterns of class names may follow. Exits with 1 when a test fails, when one was
     * not run for another reason than that there is persistent memory, or when there is none.
     */
    public static void main(String[] args) {
        String[] patterns =
                args.length > 1
                        ? Arrays.copyOfRange(args, 1, args.length)
                        : new String[] {".*Test"};
        String leftOut = args[0].equals("mounted") ? "simulated" : "none";
        LauncherDiscoveryRequest request =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectPackage(DaxTests.class.getPackageName()))
                        .filters(
                                includeClassNamePatterns(patterns),
                                // An emulated machine starts a JVM in a quarter of a minute; it is
                                // killed itself instead.
                                excludeClassNamePatterns(".*KillTest"),
                                TagFilter.excludeTags(leftOut))
                        .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        Progress progress = new Progress();
        LauncherFactory.create().execute(request, listener, progress);
        TestExecutionSummary summary = listener.getSummary();
        summary.printFailuresTo(new PrintWriter(System.out, true, UTF_8));
        Map<Provider, Integer> mapped = PersistentMemory.mapped();
        System.out.printf(
                "TESTS %d passed, %d failed, %d left out; pools with class POWER_LOSS and MAP_SYNC: %s%n",
                summary.getTestsSucceededCount(),
                summary.getTestsFailedCount() + progress.wronglyLeftOut,
                summary.getTestsAbortedCount() - progress.wronglyLeftOut,
                mapped);
        boolean passed =
                summary.getTestsSucceededCount() > 0
                        && summary.getTotalFailureCount() == 0
                        && progress.wronglyLeftOut == 0
                        && mapped.containsKey(PersistentMemory.provider());
        System.exit(passed ? 0 : 1);
    }

    /** Says what was run and how long it took: an emulated machine is slow, and may hang. */
    private static final class Progress implements TestExecutionListener {
        private long startedNs;
        private int wronglyLeftOut;

        @Override
        public void executionStarted(TestIdentifier test) {
            startedNs = System.nanoTime();
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (!test.isTest()) {
                return;
            }
            String why = result.getThrowable().map(Throwable::getMessage).orElse("");
            String word = "PASSED";
            if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
                boolean may = mayBeLeftOut(why);
                wronglyLeftOut += may ? 0 : 1;
                word = may ? "LEFT OUT" : "FAILED to run";
            } else if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                word = "FAILED";
            }
            long ms = (System.nanoTime() - startedNs) / 1_000_000;
            System.out.printf("%s %s %d ms %s%n", word, name(test), ms, why);
        }

        /** What is about memory that is not persistent, or about a provider this Java lacks. */
        private static boolean mayBeLeftOut(String why) {
            String noLibpmem = Runtime.version().feature() < 22 ? NativeAccess.whyNoLibpmem() : "";
            return why.equals("Assumption failed: persistent memory")
                    || why.equals("Assumption failed: " + noLibpmem);
        }

        private static String name(TestIdentifier test) {
            String method =
                    test.getSource()
                            .filter(MethodSource.class::isInstance)
                            .map(source -> (MethodSource) source)
                            .map(source -> source.getJavaClass().getSimpleName() + '.')
                            .orElse("");
            return method + test.getDisplayName();
        }
    }
}
