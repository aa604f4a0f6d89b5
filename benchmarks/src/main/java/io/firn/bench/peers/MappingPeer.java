package io.firn.bench.peers;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Stores to mapped files and nothing else: no roll by time, no index, no recovery beyond a scan. A
 * file is sparse, so a full disk would end the JVM. The length of a frame is stored last, which
 * publishes it.
 */
final class MappingPeer implements PeerLog {
    private static final VarHandle INT =
            MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final int FILE_BYTES = 64 << 20;
    private static final int PAGE = 4096;
    private static final int PIECE = 16 << 10;
    private static final int NEXT_FILE = -1;

    private final boolean checked;
    private final boolean sync;
    private final int batch;
    private Path directory;
    private long fileBytes;
    private int writing; // the number of the file
    private MappedByteBuffer file;
    private int end;

    MappingPeer(boolean checked, boolean sync, int batch) {
        this.checked = checked;
        this.sync = sync;
        this.batch = batch;
    }

    @Override
    public void open(Path in, Shape shape) throws IOException {
        directory = in;
        fileBytes = shape.touched() ? shape.room() : FILE_BYTES;
        if (Files.exists(path(0))) {
            byte[] last = new byte[shape.bytes()];
            Reader recovering = new Reader();
            while (recovering.poll(last, () -> {}) > 0) {
                // until the first frame that is not whole
            }
            writing = recovering.reading;
            end = recovering.at;
            file = map(writing);
        } else {
            if (shape.touched()) {
                touch(path(0));
            }
            file = map(0);
            for (int at = 0; shape.touched() && at < fileBytes - PAGE; at += PAGE) {
                file.put(at, (byte) 0);
            }
        }
    }

    private void touch(Path path) throws IOException {
        try (FileChannel channel =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ByteBuffer zeros = ByteBuffer.allocateDirect(PIECE);
            for (long at = 0; at < fileBytes; at += PIECE) {
                channel.write(zeros.clear(), at);
            }
        }
    }

    private Path path(int number) {
        return directory.resolve(number + ".map");
    }

    private MappedByteBuffer map(int number) throws IOException {
        try (FileChannel channel =
                FileChannel.open(
                        path(number),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            MappedByteBuffer mapped =
                    channel.map(
                            FileChannel.MapMode.READ_WRITE, 0, Math.max(fileBytes, channel.size()));
            mapped.order(ByteOrder.nativeOrder());
            return mapped;
        }
    }

    @Override
    public LogAppender appender() {
        Frames frames = new Frames(checked);
        return value -> append(value, frames);
    }

    private synchronized void append(byte[] value, Frames frames) throws IOException {
        int size = Frames.size(value.length, batch);
        if (end + size + Frames.HEADER > file.capacity()) {
            MappedByteBuffer full = file;
            int mark = end;
            writing++;
            file = map(writing);
            end = 0;
            INT.setRelease(full, mark, NEXT_FILE);
        }
        int at = end;
        int to = at + Frames.HEADER;
        for (int i = 0; i < batch; i++) {
            file.putInt(to, value.length);
            file.put(to + Frames.LENGTH, value, 0, value.length);
            to += Frames.LENGTH + value.length;
        }
        file.putInt(
                at + Integer.BYTES,
                batch == 1 ? frames.crc(value) : frames.crc(file, at + Frames.HEADER, to));
        INT.setRelease(file, at, to - at - Frames.HEADER);
        end = at + size;
        if (sync) {
            file.force(at, size);
        }
    }

    @Override
    public LogReader reader() throws IOException {
        return new Reader();
    }

    @Override
    public String version() {
        return "by hand";
    }

    @Override
    public void close() {}

    private final class Reader implements LogReader {
        private final Frames frames = new Frames(checked);
        private MappedByteBuffer from;
        private int reading;
        private int at;

        Reader() throws IOException {
            from = map(0);
        }

        @Override
        public int poll(byte[] target, Runnable onRecord) throws IOException {
            int length = (int) INT.getAcquire(from, at);
            if (length == NEXT_FILE) {
                reading++;
                from = map(reading);
                at = 0;
                length = (int) INT.getAcquire(from, at);
            }
            if (length <= 0 || length > batch * (target.length + Frames.LENGTH)) {
                return 0;
            }
            int each = at + Frames.HEADER;
            int all = each + length;
            int summed = batch == 1 ? each + Frames.LENGTH : each;
            if (!frames.matches(from, summed, all, from.getInt(at + Integer.BYTES))) {
                return 0;
            }
            int records = 0;
            for (; each < all; records++) {
                int value = from.getInt(each);
                from.get(each + Frames.LENGTH, target, 0, value);
                onRecord.run();
                each += Frames.LENGTH + value;
            }
            at += (Frames.HEADER + length + 7) & -8;
            return records;
        }

        @Override
        public void rewind() throws IOException {
            reading = 0;
            at = 0;
            from = map(0);
        }

        @Override
        public void close() {}
    }
}
