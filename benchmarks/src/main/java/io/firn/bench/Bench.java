package io.firn.bench;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * One JMH benchmark with its parameters.
 *
 * @param type the class
 * @param method its method
 * @param params values of its {@code @Param} fields
 * @param threads of the benchmark
 * @param recordsPerOp records that one JMH operation handles
 * @param length of the iterations
 */
record Bench(
        Class<?> type,
        String method,
        Map<String, String> params,
        int threads,
        int recordsPerOp,
        Length length) {

    /**
     * The number and length of the iterations.
     *
     * @param warmups iterations that do not count
     * @param warmupOps operations in each; 0 when iterations are measured by time
     * @param iterations iterations that count
     * @param ops operations in each; 0 when iterations are measured by time
     * @param ms duration of each iteration that is measured by time
     */
    record Length(int warmups, int warmupOps, int iterations, int ops, long ms) {
        /** A number of operations in each iteration. */
        static Length ofOps(int warmups, int warmupOps, int iterations, int ops) {
            return new Length(warmups, Math.max(warmupOps, 1), iterations, Math.max(ops, 1), 0);
        }

        /** A time for each iteration. */
        static Length ofTime(int warmups, int iterations, long ms) {
            return new Length(warmups, 0, iterations, 0, ms);
        }

        boolean isInOps() {
            return ops > 0;
        }
    }

    /** Returns JMH's options for one fork; its output goes to the named file. */
    ChainedOptionsBuilder options(String output) {
        ChainedOptionsBuilder options =
                new OptionsBuilder()
                        .include(Pattern.quote(type.getName() + "." + method) + "$")
                        .forks(1)
                        .threads(threads)
                        .warmupIterations(length.warmups)
                        .measurementIterations(length.iterations)
                        .addProfiler(GCProfiler.class)
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.NORMAL)
                        .output(output);
        if (length.isInOps()) {
            options.warmupBatchSize(length.warmupOps).measurementBatchSize(length.ops);
        } else {
            TimeValue time = new TimeValue(length.ms, TimeUnit.MILLISECONDS);
            options.warmupTime(time).measurementTime(time);
        }
        params.forEach(options::param);
        return options;
    }

    /** Returns the number of records that one score covers. */
    double recordsPerScore() {
        return (double) recordsPerOp * (length.isInOps() ? length.ops : 1);
    }

    @Override
    public String toString() {
        return type.getSimpleName() + "." + method + " " + params.get("bytes") + " B";
    }
}
