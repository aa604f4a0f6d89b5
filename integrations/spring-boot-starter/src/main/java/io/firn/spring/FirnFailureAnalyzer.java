package io.firn.spring;

import io.firn.InvalidOptionException;
import io.firn.StoreLockedException;
import io.firn.StoreOpenException;
import java.util.Arrays;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/** Says why a store did not open, and what to do, in place of a stack trace. */
final class FirnFailureAnalyzer implements FailureAnalyzer {

    @Override
    public FailureAnalysis analyze(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            String action = action(each);
            if (action != null) {
                return new FailureAnalysis(
                        "The store did not open: " + each.getMessage(), action, each);
            }
        }
        return null;
    }

    /** Returns what to do; null for what others explain. */
    private static String action(Throwable cause) {
        if (cause instanceof StoreLockedException) {
            return "End the other process, or give this application a directory of its own"
                    + " (firn.directory, and that of each of firn.tiers). An application that only"
                    + " reads opens the store with LogStoreBuilder.openReadOnly.";
        } else if (cause instanceof StoreOpenException) {
            return "Do what the description says. 'bin/firn verify STORE TIER' shows a store that"
                    + " does not open.";
        } else if (cause instanceof InvalidOptionException && isOfProperties(cause)) {
            return "Correct the property below 'firn'. Some options of a topic that exists cannot be"
                    + " changed: set the value that the topic has, or remove the property.";
        }
        return null;
    }

    /** The application may throw it, too, and then needs the stack trace. */
    private static boolean isOfProperties(Throwable cause) {
        String factory = StoreFactory.class.getName();
        return Arrays.stream(cause.getStackTrace())
                .anyMatch(each -> each.getClassName().equals(factory));
    }
}
