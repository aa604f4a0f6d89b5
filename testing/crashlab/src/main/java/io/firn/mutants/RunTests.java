package io.firn.mutants;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.PrintStream;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs tests in a JVM of their own until the first one fails, and prints which one it was. */
final class RunTests {
    static final int FAILED = 3;
    static final int NONE_FOUND = 4;
    static final String PREFIX = "failed: ";
    private static final int LONGEST_REASON = 120;

    private RunTests() {}

    /** Runs the tests of a class, or of class#method. */
    public static void main(String[] arguments) {
        // Errors that JUnit does not catch, such as OutOfMemoryError, must also end the JVM.
        Thread.currentThread()
                .setUncaughtExceptionHandler((thread, why) -> end("everything", reason(why)));
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selector(arguments[0]))
                                .filters(TagFilter.excludeTags("slow"))
                                .configurationParameter(
                                        "junit.jupiter.execution.timeout.default", "4 m")
                                .build(),
                        summary,
                        new FirstFailure());
        System.exit(summary.getSummary().getTestsSucceededCount() == 0 ? NONE_FOUND : 0);
    }

    /** Ends the JVM at the first failure: one is enough to kill a mutant. */
    private static final class FirstFailure implements TestExecutionListener {
        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                String reason = result.getThrowable().map(RunTests::reason).orElse("?");
                end(test.getLegacyReportingName(), reason);
            }
        }
    }

    private static void end(String failed, String reason) {
        PrintStream out = System.out;
        out.println(PREFIX + failed + ": " + reason);
        out.flush();
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        Runtime.getRuntime().halt(FAILED);
    }

    private static String reason(Throwable why) {
        String line = why.toString().lines().findFirst().orElse("");
        return line.substring(0, Math.min(line.length(), LONGEST_REASON));
    }

    private static DiscoverySelector selector(String name) {
        int hash = name.indexOf('#');
        return hash < 0
                ? selectClass(name)
                : selectMethod(name.substring(0, hash), name.substring(hash + 1));
    }
}
