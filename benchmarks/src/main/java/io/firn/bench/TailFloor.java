package io.firn.bench;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
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

/**
 * The floor of a verifying reader, a hand-written loop: for each batch of the same bytes it reads
 * the length, copies the bytes, computes CRC32C and compares it with the stored one.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class TailFloor {
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

    private final CRC32C crc = new CRC32C();
    private FloorFile file;
    private MappedByteBuffer memory;
    private byte[] scratch;
    private int end;
    private int position;

    /** Writes the batches. */
    @Setup(Level.Trial)
    public void open() throws IOException {
        byte[] image = BatchImage.batch(Values.ofLength(bytes), batch);
        scratch = new byte[image.length];
        file = FloorFile.open(dir, segmentMib);
        memory = file.memory();
        while (memory.capacity() - end >= image.length) {
            memory.put(end, image);
            end += image.length;
        }
    }

    /** Deletes the file. */
    @TearDown(Level.Trial)
    public void close() {
        file.close();
    }

    /** Reads the batches of 64 records. */
    @Benchmark
    @OperationsPerInvocation(TailBenchmark.LIMIT)
    public int walk() {
        int valid = 0;
        for (int i = 0; i < TailBenchmark.LIMIT; i += batch) {
            if (position == end) {
                position = 0;
            }
            int size = memory.getInt(position + BatchImage.LENGTH) + 12;
            int n = size - BatchImage.CRC_FROM;
            memory.get(position + BatchImage.CRC_FROM, scratch, 0, n);
            crc.reset();
            crc.update(scratch, 0, n);
            if ((int) crc.getValue() == memory.getInt(position + BatchImage.CRC)) {
                valid++;
            }
            position += size;
        }
        return valid;
    }
}
