package io.firn.bench;

import io.firn.Appender;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * The values that Firn's method writer writes for {@link MethodBenchmark}, stored field by field by
 * hand: what is left of a call without the method writer, and without a log.
 */
final class BareCalls implements MethodBenchmark.Orders {
    private static final VarHandle LONG = handle(long[].class);
    private static final VarHandle DOUBLE = handle(double[].class);
    private static final VarHandle INT = handle(int[].class);

    /** The bytes before the first argument, and of the length of an object. */
    private static final int PLACE_FIELDS = 12;

    private static final int FILL_ARGUMENTS = 6;
    private static final int PLACE_BYTES = PLACE_FIELDS + 5 * Long.BYTES;
    private static final int FILL_BYTES = FILL_ARGUMENTS + 2 * (1 + Long.BYTES) + 1 + Integer.BYTES;

    private final Target target;
    private final int before;
    private final byte[] place;
    private final byte[] fill;

    /** Takes a value that lies behind some bytes of an array. */
    private interface Target {
        /** How many bytes are before a value. */
        int before();

        void take(byte[] array);

        /** An array with room for a value. */
        byte[] array(int length);
    }

    private BareCalls(Target target) {
        this.target = target;
        this.before = target.before();
        this.place = target.array(PLACE_BYTES);
        this.fill = target.array(FILL_BYTES);
    }

    private static VarHandle handle(Class<?> type) {
        return MethodHandles.byteArrayViewVarHandle(type, ByteOrder.LITTLE_ENDIAN);
    }

    /** Appends the values to a log. */
    static BareCalls to(Appender appender) {
        return new BareCalls(
                new Target() {
                    @Override
                    public int before() {
                        return 0;
                    }

                    @Override
                    public byte[] array(int length) {
                        return new byte[length];
                    }

                    @Override
                    public void take(byte[] array) {
                        appender.append(array);
                    }
                });
    }

    /** Stores the values as whole batches with their CRC into mapped files. */
    static BareCalls to(Path directory) {
        return new BareCalls(new Floor(directory));
    }

    @Override
    public void place(MethodBenchmark.Order order) {
        int at = before + PLACE_FIELDS;
        order.storeInto(place, at, LONG, DOUBLE);
        target.take(place);
    }

    @Override
    public void fill(long id, double price, int quantity) {
        int at = before + FILL_ARGUMENTS;
        LONG.set(fill, at + 1, id);
        DOUBLE.set(fill, at + 10, price);
        INT.set(fill, at + 19, quantity);
        target.take(fill);
    }

    /** One file after another, mapped, whose pages come with the first store into them. */
    private static final class Floor implements Target {
        private static final int FILE_BYTES = 64 << 20;
        private static final VarHandle END =
                MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

        private final Path directory;
        private final ByteBuffer published = ByteBuffer.allocateDirect(64).alignedSlice(Long.BYTES);
        private final CRC32C crc = new CRC32C();
        private ByteBuffer memory;
        private int position = FILE_BYTES;
        private int files;
        private long offset;

        Floor(Path directory) {
            this.directory = directory;
        }

        @Override
        public int before() {
            return array(PLACE_BYTES).length - PLACE_BYTES - 1; // the last byte counts headers
        }

        @Override
        public byte[] array(int length) {
            return BatchImage.batch(new byte[length], 1);
        }

        @Override
        public void take(byte[] batch) {
            if (FILE_BYTES - position < batch.length) {
                next();
            }
            crc.reset();
            crc.update(batch, BatchImage.CRC_FROM, batch.length - BatchImage.CRC_FROM);
            memory.put(position, batch, 0, batch.length);
            memory.putLong(position, offset++);
            memory.putInt(position + BatchImage.CRC, (int) crc.getValue());
            position += batch.length;
            END.setRelease(published, 0, (long) position);
        }

        private void next() {
            try (FileChannel file =
                    FileChannel.open(
                            directory.resolve("floor" + files++),
                            StandardOpenOption.CREATE_NEW,
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE)) {
                memory = file.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES);
                position = 0;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
