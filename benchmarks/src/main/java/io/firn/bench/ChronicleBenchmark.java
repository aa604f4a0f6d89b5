package io.firn.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.wire.DocumentContext;
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
import org.openjdk.jmh.infra.BenchmarkParams;

/** Chronicle Queue with its defaults, un-forced. A replay copies the bytes of the records. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, batchSize = 200_000)
@Measurement(iterations = 8, batchSize = 200_000)
@Fork(
        value = 1,
        jvmArgs = {
            "-Dchronicle.analytics.disable=true",
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED",
            "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
            "--add-opens=jdk.compiler/com.sun.tools.javac=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
            "--add-opens=java.base/java.io=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"
        })
public class ChronicleBenchmark {
    /** The directory; empty for one in memory, or in target/ where there is no /dev/shm. */
    @Param("")
    public String dir;

    /** The length of a record. */
    @Param({"64", "256", "1024"})
    public int bytes;

    /** The number of records to replay. */
    @Param("256")
    public int logMib;

    private Path directory;
    private ChronicleQueue queue;
    private ExcerptAppender appender;
    private ExcerptTailer tailer;
    private Bytes<?> value;
    private byte[] read;

    /** Opens the queue and fills it if it is to be replayed. */
    @Setup(Level.Trial)
    public void open(BenchmarkParams benchmark) throws IOException {
        directory = Places.make(dir);
        queue = ChronicleQueue.single(directory.toString());
        appender = queue.createAppender();
        tailer = queue.createTailer();
        value = Bytes.allocateElasticDirect(bytes).write(Values.ofLength(bytes));
        read = new byte[bytes];
        if (benchmark.getBenchmark().endsWith("replay")) {
            long records = logMib * (1L << 20) / bytes / TailBenchmark.LIMIT * TailBenchmark.LIMIT;
            for (long i = 0; i < records; i++) {
                appender.writeBytes(value);
            }
        }
    }

    /** Deletes the queue. */
    @TearDown(Level.Trial)
    public void close() {
        tailer.close();
        appender.close();
        queue.close();
        value.releaseLast();
        Places.delete(directory);
    }

    /** Appends one record. */
    @Benchmark
    public void append() {
        appender.writeBytes(value);
    }

    /** Reads 64 records. */
    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    @Warmup(iterations = 2, time = 1, batchSize = 1)
    @Measurement(iterations = 5, time = 1, batchSize = 1)
    @OperationsPerInvocation(TailBenchmark.LIMIT)
    public byte[] replay() {
        for (int i = 0; i < TailBenchmark.LIMIT; i++) {
            if (!readOne()) {
                tailer.toStart();
                readOne();
            }
        }
        return read;
    }

    private boolean readOne() {
        try (DocumentContext document = tailer.readingDocument()) {
            return document.isPresent() && document.wire().bytes().read(read) == bytes;
        }
    }
}
