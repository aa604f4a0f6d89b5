package io.firn.bench.peers;

import java.nio.file.Path;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;

/** Chronicle Queue with its defaults; with larger blocks where all pages are to be touched. */
final class ChroniclePeer implements PeerLog {
    /** The ways to append. */
    enum Way {
        DOCUMENT,
        BYTES,
        BATCH,
        SYNC
    }

    private static final int PAGE = 4096;

    private final Way way;
    private ChronicleQueue queue;
    private Shape shape;

    ChroniclePeer(Way way) {
        this.way = way;
    }

    @Override
    public void open(Path directory, Shape of) {
        shape = of;
        SingleChronicleQueueBuilder builder =
                SingleChronicleQueueBuilder.single(directory.resolve("queue").toString());
        if (of.touched()) {
            builder.blockSize(of.room()); // one mapping for all records
        }
        queue = builder.build();
    }

    @Override
    public LogAppender appender() {
        ExcerptAppender appender = queue.createAppender();
        if (shape.touched()) {
            touch(appender);
        }
        return switch (way) {
            case DOCUMENT -> value -> document(appender, value);
            case BYTES -> bytes(appender);
            case BATCH -> value -> batch(appender, value);
            case SYNC ->
                    value -> {
                        document(appender, value);
                        appender.sync();
                    };
        };
    }

    /** Touches the pages of the appender's own mapping as Chronicle's own pretoucher does. */
    private void touch(ExcerptAppender appender) {
        document(appender, new byte[shape.bytes()]);
        Bytes<?> mapped = appender.wire().bytes();
        long from = (mapped.writePosition() + PAGE) & -PAGE;
        long to = from + shape.records() * (shape.bytes() + 32L);
        for (long at = from; at < to; at += PAGE) {
            mapped.compareAndSwapInt(at, 0, 0);
        }
    }

    private static void document(ExcerptAppender appender, byte[] value) {
        try (DocumentContext document = appender.writingDocument()) {
            document.wire().bytes().write(value);
        }
    }

    private LogAppender bytes(ExcerptAppender appender) {
        Bytes<?> bytes = Bytes.allocateElasticDirect(shape.bytes());
        return value -> {
            bytes.clear().write(value);
            appender.writeBytes(bytes);
        };
    }

    private static void batch(ExcerptAppender appender, byte[] value) {
        try (DocumentContext document = appender.writingDocument()) {
            Bytes<?> bytes = document.wire().bytes();
            for (int i = 0; i < Peer.BATCH; i++) {
                bytes.writeInt(value.length).write(value);
            }
        }
    }

    @Override
    public LogReader reader() {
        ExcerptTailer tailer = queue.createTailer();
        return new Reader(tailer, way == Way.BATCH, way == Way.BYTES, shape.bytes());
    }

    @Override
    public String version() {
        return Versions.ofMaven("net.openhft", "chronicle-queue");
    }

    @Override
    public void close() {
        queue.close();
    }

    private record Reader(ExcerptTailer tailer, boolean batches, Bytes<?> bytes)
            implements LogReader {
        Reader(ExcerptTailer tailer, boolean batches, boolean asBytes, int length) {
            this(tailer, batches, asBytes ? Bytes.allocateElasticDirect(length) : null);
        }

        @Override
        public int poll(byte[] target, Runnable onRecord) {
            if (bytes != null) {
                return pollBytes(target, onRecord);
            }
            try (DocumentContext document = tailer.readingDocument()) {
                if (!document.isPresent()) {
                    return 0;
                }
                Bytes<?> from = document.wire().bytes();
                int records = batches ? Peer.BATCH : 1;
                for (int i = 0; i < records; i++) {
                    int length = batches ? from.readInt() : target.length;
                    from.read(target, 0, length);
                    onRecord.run();
                }
                return records;
            }
        }

        private int pollBytes(byte[] target, Runnable onRecord) {
            bytes.clear();
            if (!tailer.readBytes(bytes)) {
                return 0;
            }
            bytes.read(target);
            onRecord.run();
            return 1;
        }

        @Override
        public void rewind() {
            tailer.toStart();
        }

        @Override
        public void close() {
            tailer.close();
        }
    }
}
