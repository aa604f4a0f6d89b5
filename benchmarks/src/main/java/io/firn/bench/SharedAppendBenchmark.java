package io.firn.bench;

import io.firn.Appender;
import io.firn.Durability;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.runner.IterationType;

/**
 * Appends on one thread or several through one shared appender, whose forces they share; otherwise
 * like {@link AppendBenchmark}. The score is the time of one thread. Each thread appends a whole
 * JMH batch.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, batchSize = 200_000)
@Measurement(iterations = 8, batchSize = 10_000)
@Fork(1)
public class SharedAppendBenchmark {
    /** The directory; empty for one in memory, or in target/ where there is no /dev/shm. */
    @Param("")
    public String dir;

    /** The durability of the topic. */
    @Param({"DURABLE", "WRITTEN"})
    public Durability durability;

    /** The length of a record's value. */
    @Param({"64", "256", "1024"})
    public int bytes;

    /** The size of the segment. */
    @Param("256")
    public int segmentMib;

    private FirnLog log;
    private Appender rolling;
    private Appender measured;
    private Appender appender;
    private byte[] value;

    /** Opens the store. */
    @Setup(Level.Trial)
    public void open() throws IOException {
        value = Values.ofLength(bytes);
        log = FirnLog.open(dir);
        rolling = log.rolling(durability).openAppender();
        measured = log.measured(durability, segmentMib).openAppender();
        measured.append(value); // waits for the segment
    }

    /** Selects the log for the appends of the iteration. */
    @Setup(Level.Iteration)
    public void direct(IterationParams iteration) {
        appender = iteration.getType() == IterationType.WARMUP ? rolling : measured;
    }

    /** Deletes the store. */
    @TearDown(Level.Trial)
    public void close() {
        rolling.close();
        measured.close();
        log.close();
    }

    /** Appends one value. */
    @Benchmark
    public long shared() {
        return appender.append(value);
    }
}
