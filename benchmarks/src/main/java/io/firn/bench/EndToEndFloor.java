package io.firn.bench;

import io.firn.Durability;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.MappedByteBuffer;
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
 * The floor of the latency between two threads: one copies the message into a mapping, forces it
 * when durable, and publishes the end with an ordered store; the other loads the end in order and
 * copies the message out.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 1, time = 1, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 1, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class EndToEndFloor {
    private static final VarHandle END;

    static {
        try {
            END = MethodHandles.lookup().findVarHandle(EndToEndFloor.class, "end", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The directory; empty for one in memory, or in target/ where there is no /dev/shm. */
    @Param("")
    public String dir;

    /** Whether to force before publishing. */
    @Param({"DURABLE", "WRITTEN"})
    public Durability durability;

    /** The length of a message. */
    @Param({"64", "256", "1024"})
    public int bytes;

    /** Whether each message has a checksum, as a batch has; the reader does not verify it. */
    @Param("false")
    public boolean crc;

    /** Size of the file. */
    @Param("512")
    public int segmentMib;

    private FloorFile file;
    private MappedByteBuffer memory;
    private final CRC32C checksum = new CRC32C();
    private int slot;
    private boolean forced;
    private Pace pace;
    private long sent;
    private long received;

    @SuppressWarnings("UnusedVariable") // through its handle
    private volatile long end;

    /** Creates the file. */
    @Setup(Level.Trial)
    public void open() throws IOException {
        forced = durability == Durability.DURABLE;
        slot = crc ? bytes + Long.BYTES : bytes;
        file = FloorFile.open(dir, segmentMib);
        memory = file.memory();
        pace = new Pace(bytes);
    }

    /** Deletes the file. */
    @TearDown(Level.Trial)
    public void close() {
        file.close();
    }

    /** Executes one run. */
    @Benchmark
    public void run(Percentiles percentiles) throws InterruptedException {
        percentiles.of(pace.run(this::send, this::receive));
    }

    private void send(byte[] message) {
        int at = place(sent);
        memory.put(at, message, 0, bytes);
        if (crc) {
            checksum.reset();
            checksum.update(message, 0, bytes);
            memory.putLong(at + bytes, checksum.getValue());
        }
        if (forced) {
            memory.force(at, slot);
        }
        sent++;
        END.setRelease(this, sent);
    }

    private int receive() {
        long to = (long) END.getAcquire(this);
        int n = (int) (to - received);
        while (received < to) {
            memory.get(place(received), pace.target(), 0, bytes);
            pace.onMessage();
            received++;
        }
        return n;
    }

    private int place(long message) {
        return (int) (message % (memory.capacity() / slot)) * slot;
    }
}
