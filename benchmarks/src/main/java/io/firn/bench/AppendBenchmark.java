package io.firn.bench;

import io.firn.Batch;
import io.firn.Claim;
import io.firn.Durability;
import io.firn.ExclusiveAppender;
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
 * Appends by one thread. Warm-up goes into a topic of its own that rolls and forgets; what is
 * measured goes into one segment, whose pages are there: the append itself, not the preparation of
 * space. An iteration is a batch of JMH's, which must fit.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, batchSize = 500_000)
@Measurement(iterations = 8, batchSize = 20_000)
@Fork(1)
public class AppendBenchmark {
    static final int BATCH_RECORDS = 16;

    /** Where to; empty for memory, or target/ where there is none. */
    @Param("")
    public String dir;

    /** What an append promises. */
    @Param({"DURABLE", "WRITTEN"})
    public Durability durability;

    /** Bytes of a record's value. */
    @Param({"64", "256", "1024"})
    public int bytes;

    /** Size of the segment. */
    @Param("256")
    public int segmentMib;

    private FirnLog log;
    private ExclusiveAppender rolling;
    private ExclusiveAppender measured;
    private ExclusiveAppender appender;
    private Batch batch;
    private byte[] value;

    /** Opens the store. */
    @Setup(Level.Trial)
    public void open() throws IOException {
        value = Values.ofLength(bytes);
        log = openLog();
        rolling = log.rolling(durability).openAppender();
        measured = log.measured(durability, segmentMib).openAppender();
        measured.append(value); // waits for the segment
        prepare(measured, value);
        batch = measured.newBatch();
    }

    /** A new store. */
    FirnLog openLog() throws IOException {
        return FirnLog.open(dir);
    }

    /** Brings the log to where only appends are left to do. */
    void prepare(ExclusiveAppender appending, byte[] filler) throws IOException {}

    /** Directs the iteration's appends. */
    @Setup(Level.Iteration)
    public void direct(IterationParams iteration) {
        appender = iteration.getType() == IterationType.WARMUP ? rolling : measured;
    }

    /** Everything goes to the log that rolls and forgets. */
    void directToRolling() {
        appender = rolling;
        batch = rolling.newBatch();
    }

    /** Deletes the store. */
    @TearDown(Level.Trial)
    public void close() {
        rolling.close();
        measured.close();
        log.close();
    }

    /** One value. */
    @Benchmark
    public long exclusive() {
        return appender.append(value);
    }

    /** One value, into a log that rolls and forgets: with the preparation of space. */
    @Benchmark
    public long sustained() {
        return rolling.append(value);
    }

    /** One value, written by the caller into the log. */
    @Benchmark
    public long claim() {
        Claim claim = appender.tryClaim(bytes);
        while (claim == null) {
            Thread.onSpinWait();
            claim = appender.tryClaim(bytes);
        }
        claim.buffer().put(value);
        return claim.commit();
    }

    /** A batch of 16 values. */
    @Benchmark
    public long batchOf16() {
        batch.clear();
        for (int i = 0; i < BATCH_RECORDS; i++) {
            batch.add(value);
        }
        return appender.append(batch);
    }
}
