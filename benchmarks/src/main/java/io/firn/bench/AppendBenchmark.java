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
 * Appends on one thread. The warm-up uses a topic of its own that rolls and deletes segments. What
 * is measured goes into one segment whose pages are present, so that only the append is measured
 * and not the reservation of space. An iteration is a JMH batch, which must fit into the segment.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, batchSize = 500_000)
@Measurement(iterations = 8, batchSize = 20_000)
@Fork(1)
public class AppendBenchmark {
    static final int BATCH_RECORDS = 16;

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
        rolling = log.rolling(durability).openExclusiveAppender();
        measured = log.measured(durability, segmentMib).openExclusiveAppender();
        measured.append(value); // waits for the segment
        prepare(measured, value);
        batch = measured.newBatch();
    }

    /** Opens a new store. */
    FirnLog openLog() throws IOException {
        return FirnLog.open(dir);
    }

    /** Reserves and pages in the segment, so that only appends are left to do. */
    void prepare(ExclusiveAppender appending, byte[] filler) throws IOException {}

    /** Selects the log for the appends of the iteration. */
    @Setup(Level.Iteration)
    public void direct(IterationParams iteration) {
        appender = iteration.getType() == IterationType.WARMUP ? rolling : measured;
    }

    /** Selects the log that rolls and deletes segments for all appends. */
    void directToRolling() {
        appender = rolling;
        batch = rolling.newBatch();
    }

    /** Selects the segment that is measured for all appends. */
    void directToMeasured() {
        appender = measured;
        batch = measured.newBatch();
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
    public long exclusive() {
        return appender.append(value);
    }

    /** Appends one value to the log that rolls, which includes reserving space. */
    @Benchmark
    public long sustained() {
        return rolling.append(value);
    }

    /** Appends one value through a claim. */
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

    /** Appends a batch of 16 values. */
    @Benchmark
    public long batchOf16() {
        batch.clear();
        for (int i = 0; i < BATCH_RECORDS; i++) {
            batch.add(value);
        }
        return appender.append(batch);
    }
}
