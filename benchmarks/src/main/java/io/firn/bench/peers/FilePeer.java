package io.firn.bench.peers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One file with one positional write and one CRC32C for each record or batch; the floor of
 * everything that calls the kernel for each append.
 */
final class FilePeer implements PeerLog {
    private static final int READ_BYTES = 256 << 10;

    private final boolean sync;
    private final int batch;
    private final ReentrantLock forcing = new ReentrantLock();
    private FileChannel channel;
    private int bytes;
    private volatile long end;
    private long forced; // guarded by the lock

    FilePeer(boolean sync, int batch) {
        this.sync = sync;
        this.batch = batch;
    }

    @Override
    public void open(Path directory, Shape shape) throws IOException {
        bytes = shape.bytes();
        channel =
                FileChannel.open(
                        directory.resolve("log"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        if (channel.size() > 0) {
            end = channel.size();
            byte[] last = new byte[bytes];
            try (Reader recovering = new Reader()) {
                while (recovering.poll(last, () -> {}) > 0) {
                    // until the first frame that is not whole
                }
                end = recovering.position();
            }
        } else if (shape.touched()) {
            ByteBuffer zeros = ByteBuffer.allocateDirect(READ_BYTES);
            for (long at = 0; at < shape.room(); at += READ_BYTES) {
                channel.write(zeros.clear(), at);
            }
        }
    }

    @Override
    public LogAppender appender() {
        ByteBuffer frame = ByteBuffer.allocateDirect(Frames.size(bytes, batch));
        Frames frames = new Frames(true);
        return value -> {
            frames.fill(frame, value, batch);
            long upTo = write(frame);
            if (sync) {
                force(upTo);
            }
        };
    }

    private synchronized long write(ByteBuffer frame) throws IOException {
        long at = end;
        while (frame.hasRemaining()) {
            at += channel.write(frame, at);
        }
        end = at;
        return at;
    }

    /** Forces once for all that wait. */
    private void force(long upTo) throws IOException {
        forcing.lock();
        try {
            if (forced < upTo) {
                long all = end;
                channel.force(false);
                forced = all;
            }
        } finally {
            forcing.unlock();
        }
    }

    @Override
    public LogReader reader() {
        return new Reader();
    }

    @Override
    public String version() {
        return "by hand";
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private final class Reader implements LogReader {
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(READ_BYTES).limit(0);
        private final Frames frames = new Frames(true);
        private long next;

        /** Returns the place of the first byte that was not read. */
        long position() {
            return next - buffer.remaining();
        }

        @Override
        public int poll(byte[] target, Runnable onRecord) throws IOException {
            if (buffer.remaining() < Frames.HEADER && !fill(Frames.HEADER)) {
                return 0;
            }
            int length = buffer.getInt(buffer.position());
            if (length <= 0 || length > READ_BYTES - Frames.HEADER) {
                return 0;
            }
            int size = (Frames.HEADER + length + 7) & -8;
            if (buffer.remaining() < size && !fill(size)) {
                return 0;
            }
            int at = buffer.position();
            int from = at + Frames.HEADER;
            if (!frames.matches(buffer, from, from + length, buffer.getInt(at + 4))) {
                return 0;
            }
            int records = 0;
            for (int each = from; each < from + length; records++) {
                int value = buffer.getInt(each);
                buffer.get(each + Frames.LENGTH, target, 0, value);
                onRecord.run();
                each += Frames.LENGTH + value;
            }
            buffer.position(at + size);
            return records;
        }

        private boolean fill(int needed) throws IOException {
            long readable = end - next;
            if (buffer.remaining() + readable < needed) {
                return false;
            }
            buffer.compact();
            if (buffer.remaining() > readable) {
                buffer.limit(buffer.position() + (int) readable);
            }
            int n = channel.read(buffer, next);
            next += Math.max(n, 0);
            return buffer.flip().remaining() >= needed;
        }

        @Override
        public void rewind() {
            next = 0;
            buffer.clear().limit(0);
        }

        @Override
        public void close() {}
    }
}
