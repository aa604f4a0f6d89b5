package io.firn.bench.kafka;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks the values of options that choose among some words. */
final class Only {
    private Only() {}

    /** Throws a {@link ParameterException} if a value is not known. */
    static void check(CommandSpec spec, String option, List<String> values, List<String> known) {
        for (String each : values) {
            if (!known.contains(each)) {
                throw new ParameterException(
                        spec.commandLine(),
                        option + " accepts " + String.join(", ", known) + ", not " + each);
            }
        }
    }
}
