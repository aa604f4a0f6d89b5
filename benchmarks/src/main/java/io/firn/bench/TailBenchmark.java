package io.firn.bench;

import io.firn.Batch;
import io.firn.Durability;
import io.firn.ExclusiveAppender;
import io.firn.LogRecord;
import io.firn.Partition;
import io.firn.RecordHandler;
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
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Reads a complete log repeatedly from its start, with the default verification. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class TailBenchmark {
    static final int LIMIT = 64;

    /** The directory; empty for one in memory, or in target/ where there is no /dev/shm. */
    @Param("")
    public String dir;

    /** The number of records in a batch, 1 or 16. */
    @Param({"1", "16"})
    public int batch;

    /** The length of a record's value. */
    @Param({"64", "256", "1024"})
    public int bytes;

    /** The size of the log. */
    @Param("256")
    public int segmentMib;

    private final Sum sum = new Sum();
    private final RecordHandler copying = this::copy;
    private byte[] copy;
    private FirnLog log;
    private Tailer tailer;

    /** Writes the log. */
    @Setup(Level.Trial)
    public void open() throws IOException {
        byte[] value = Values.ofLength(bytes);
        copy = new byte[bytes];
        log = FirnLog.open(dir);
        Partition partition = log.measured(Durability.WRITTEN, segmentMib);
        int size = BatchImage.batch(value, batch).length;
        long batches = (segmentMib * (1L << 20) / size - 1) / LIMIT * LIMIT;
        try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
            Batch records = appender.newBatch();
            for (int i = 0; i < batch; i++) {
                records.add(value);
            }
            for (long i = 0; i < batches; i++) {
                appender.append(records);
            }
        }
        partition.force();
        tailer = partition.openTailer();
    }

    /** Deletes the log. */
    @TearDown(Level.Trial)
    public void close() {
        tailer.close();
        log.close();
    }

    /** Polls 64 records. */
    @Benchmark
    @OperationsPerInvocation(LIMIT)
    public long poll() {
        poll(sum);
        return sum.bytes;
    }

    /** Polls 64 records and copies their values. */
    @Benchmark
    @OperationsPerInvocation(LIMIT)
    public byte[] replay() {
        poll(copying);
        return copy;
    }

    private void poll(RecordHandler handler) {
        if (tailer.poll(handler, LIMIT) == 0) {
            tailer.seekToStart();
            tailer.poll(handler, LIMIT);
        }
    }

    private Action copy(LogRecord record) {
        record.getValue(copy, 0);
        return Action.CONTINUE;
    }

    private static final class Sum implements RecordHandler {
        private long bytes;

        @Override
        public Action onRecord(LogRecord record) {
            bytes += record.valueLength();
            return Action.CONTINUE;
        }
    }
}
