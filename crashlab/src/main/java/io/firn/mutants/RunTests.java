package io.firn.mutants;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.PrintStream;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs tests in a JVM of their own, and says which failed. */
final class RunTests {
    static final int FAILED = 3;
    static final int NONE_FOUND = 4;
    static final String PREFIX = "failed: ";

    private RunTests() {}

    /** With a class, or class#method. */
    public static void main(String[] arguments) {
        PrintStream out = System.out;
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selector(arguments[0]))
                                .filters(TagFilter.excludeTags("slow"))
                                .configurationParameter(
                                        "junit.jupiter.execution.timeout.default", "2 m")
                                .build(),
                        listener);
        TestExecutionSummary summary = listener.getSummary();
        summary.getFailures()
                .forEach(
                        each ->
                                out.println(
                                        PREFIX
                                                + each.getTestIdentifier()
                                                        .getLegacyReportingName()));
        out.flush();
        if (summary.getTestsFoundCount() == 0 && summary.getTotalFailureCount() == 0) {
            System.exit(NONE_FOUND);
        }
        System.exit(summary.getTotalFailureCount() > 0 ? FAILED : 0);
    }

    private static DiscoverySelector selector(String name) {
        int hash = name.indexOf('#');
        return hash < 0
                ? selectClass(name)
                : selectMethod(name.substring(0, hash), name.substring(hash + 1));
    }
}
