package io.firn.bench;

import io.firn.Durability;
import io.firn.ExclusiveAppender;
import io.firn.LogRecord;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
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

/**
 * Latency from the thread of an appender to that of a tailer. The percentiles are the result; the
 * score is the time of the whole run. An iteration is one run, regardless of JMH's iteration time.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 1, time = 1, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 1, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class EndToEndBenchmark {
    private static final int LIMIT = 16;

    /** The directory; empty for one in memory, or in target/ where there is no /dev/shm. */
    @Param("")
    public String dir;

    /** The durability of the topic, which decides when a reader sees a record. */
    @Param({"DURABLE", "WRITTEN"})
    public Durability durability;

    /** The length of a record's value. */
    @Param({"64", "256", "1024"})
    public int bytes;

    /** The size of the segment. */
    @Param("512")
    public int segmentMib;

    private FirnLog log;
    private ExclusiveAppender appender;
    private Tailer tailer;
    private Pace pace;

    /** Opens the store. */
    @Setup(Level.Trial)
    public void open() throws IOException {
        log = FirnLog.open(dir);
        pace = new Pace(bytes);
        Partition partition = log.measured(durability, segmentMib);
        appender = partition.openExclusiveAppender();
        appender.append(Values.ofLength(bytes)); // waits for the segment
        tailer = partition.openTailer();
        tailer.seekToEnd();
    }

    /** Deletes the store. */
    @TearDown(Level.Trial)
    public void close() {
        tailer.close();
        appender.close();
        log.close();
    }

    /** Executes one run. */
    @Benchmark
    public void run(Percentiles percentiles) throws InterruptedException {
        percentiles.of(pace.run(appender::append, () -> tailer.poll(this::receive, LIMIT)));
    }

    private Action receive(LogRecord record) {
        record.getValue(pace.target(), 0);
        pace.onMessage();
        return Action.CONTINUE;
    }
}
