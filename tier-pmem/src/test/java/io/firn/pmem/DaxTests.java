package io.firn.pmem;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.platform.engine.discovery.ClassNameFilter.excludeClassNamePatterns;
import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.io.PrintWriter;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs the tests of this package where there is no Maven: in the machine of bin/test-dax. */
public final class DaxTests {
    private DaxTests() {}

    /** Runs those whose class names match, by default all; exits with 1 when one fails. */
    public static void main(String[] args) {
        String[] patterns = args.length > 0 ? args : new String[] {".*Test"};
        LauncherDiscoveryRequest request =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectPackage(DaxTests.class.getPackageName()))
                        .filters(
                                includeClassNamePatterns(patterns),
                                // An emulated machine starts a JVM in a quarter of a minute; it is
                                // killed itself instead.
                                excludeClassNamePatterns(".*KillTest"))
                        .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        TestExecutionSummary summary = listener.getSummary();
        summary.printFailuresTo(new PrintWriter(System.out, true, UTF_8));
        for (TestExecutionSummary.Failure failure : summary.getFailures()) {
            System.out.println("FAILED " + failure.getTestIdentifier().getDisplayName());
        }
        System.out.printf(
                "TESTS %d run, %d failed, %d aborted%n",
                summary.getTestsStartedCount(),
                summary.getTestsFailedCount(),
                summary.getTestsAbortedCount());
        System.exit(
                summary.getTestsSucceededCount() > 0 && summary.getTotalFailureCount() == 0
                        ? 0
                        : 1);
    }
}
