package io.firn.bench;

import io.firn.Durability;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
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
 * The floor of an append, a hand-written loop: copies the same bytes into a mapping, computes
 * CRC32C over them and, when durable, forces them. Walks repeatedly through a file of the size of
 * Firn's segment.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, batchSize = 500_000)
@Measurement(iterations = 8, batchSize = 20_000)
@Fork(1)
public class AppendFloor {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle NEXT;

    static {
        try {
            NEXT = MethodHandles.lookup().findVarHandle(AppendFloor.class, "next", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The directory; empty for one in memory, or in target/ where there is no /dev/shm. */
    @Param("")
    public String dir;

    /** Whether to force. */
    @Param({"DURABLE", "WRITTEN"})
    public Durability durability;

    /** The length of a record's value. */
    @Param({"64", "256", "1024"})
    public int bytes;

    /** Size of the file. */
    @Param("256")
    public int segmentMib;

    private final CRC32C crc = new CRC32C();
    private FloorFile file;
    private MappedByteBuffer memory;
    private byte[] single;
    private byte[] batch;
    private byte[][] records;
    private byte[] value;
    private byte[] encoded;
    private byte[] encodedSingle;
    private long time;
    private long next;
    private boolean forced;
    private int position;

    /** Creates the file. */
    @Setup(Level.Trial)
    public void open() throws IOException {
        value = Values.ofLength(bytes);
        single = BatchImage.batch(value, 1);
        batch = BatchImage.batch(value, AppendBenchmark.BATCH_RECORDS);
        encodedSingle = single.clone();
        time = System.currentTimeMillis();
        encoded = batch.clone();
        Arrays.fill(encoded, BatchImage.HEADER_LENGTH, encoded.length, (byte) 0);
        encode();
        if (!Arrays.equals(encoded, batch)) {
            throw new IllegalStateException("the encoding is not that of a batch");
        }
        records = new byte[AppendBenchmark.BATCH_RECORDS][];
        for (int i = 0; i < records.length; i++) {
            records[i] = BatchImage.record(value, i);
        }
        forced = durability == Durability.DURABLE;
        file = FloorFile.open(dir, segmentMib);
        memory = file.memory();
        bind(file);
    }

    /** Prepares what {@link #force} needs. */
    void bind(FloorFile bound) throws IOException {}

    /** Deletes the file. */
    @TearDown(Level.Trial)
    public void close() {
        file.close();
    }

    /** Copies one value, with one CRC and one force. */
    @Benchmark
    public int append() {
        byte[] image = single;
        int at = room(image.length);
        memory.put(at, image, 0, image.length);
        sum(image, BatchImage.CRC_FROM, image.length - BatchImage.CRC_FROM);
        return finish(at, image.length);
    }

    /**
     * Encodes one value as a batch, with its offset and time, sums it, copies it, forces it, and
     * publishes the next offset: what an append takes that is given a value.
     */
    @Benchmark
    public int encodedAppend() {
        byte[] image = encodedSingle;
        LONG.set(image, 0, next);
        LONG.set(image, BatchImage.BASE_TIMESTAMP, time);
        LONG.set(image, BatchImage.MAX_TIMESTAMP, time);
        int length = BatchImage.putRecord(image, BatchImage.HEADER_LENGTH, value, 0);
        INT.set(image, BatchImage.LENGTH, length - BatchImage.LENGTH_OVERHEAD);
        sum(image, BatchImage.CRC_FROM, length - BatchImage.CRC_FROM);
        int at = room(length);
        memory.put(at, image, 0, length);
        int end = finish(at, length);
        NEXT.setRelease(this, next + 1);
        return end;
    }

    /** Copies a header and 16 values, with one CRC and one force. */
    @Benchmark
    public int batchOf16() {
        byte[] image = batch;
        int at = room(image.length);
        memory.put(at, image, 0, BatchImage.HEADER_LENGTH);
        int to = at + BatchImage.HEADER_LENGTH;
        for (byte[] record : records) {
            memory.put(to, record, 0, record.length);
            to += record.length;
        }
        sum(image, BatchImage.CRC_FROM, image.length - BatchImage.CRC_FROM);
        return finish(at, image.length);
    }

    /**
     * Encodes 16 values as records of a batch, sums them, copies them, and forces them once: what a
     * batch takes that is given values. The floor above is given records.
     */
    @Benchmark
    public int encodedBatchOf16() {
        int length = encode();
        int at = room(length);
        sum(encoded, BatchImage.CRC_FROM, length - BatchImage.CRC_FROM);
        memory.put(at, encoded, 0, length);
        return finish(at, length);
    }

    private int encode() {
        int to = BatchImage.HEADER_LENGTH;
        for (int i = 0; i < AppendBenchmark.BATCH_RECORDS; i++) {
            to = BatchImage.putRecord(encoded, to, value, i);
        }
        return to;
    }

    private int room(int length) {
        if (memory.capacity() - position < length) {
            position = 0;
        }
        return position;
    }

    private void sum(byte[] image, int from, int length) {
        crc.reset();
        crc.update(image, from, length);
    }

    private int finish(int at, int length) {
        memory.putInt(at + BatchImage.CRC, (int) crc.getValue());
        if (forced) {
            force(at, length);
        }
        position = at + length;
        return position;
    }

    /** Makes bytes of the file durable. */
    void force(int at, int length) {
        memory.force(at, length);
    }
}
