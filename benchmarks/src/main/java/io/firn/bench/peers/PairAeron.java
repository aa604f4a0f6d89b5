package io.firn.bench.peers;

import io.aeron.Aeron;
import io.aeron.AeronVersion;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One process of two with Aeron IPC. The media driver is a thread of the writer's process that
 * sleeps when it has nothing to do, because the machine may have two cores only; messages do not
 * pass through it.
 */
final class PairAeron implements PeerLog {
    private static final int STREAM = 1001;
    private static final int FRAGMENTS = 64;

    private final boolean isWriter;
    private MediaDriver driver;
    private Aeron aeron;

    PairAeron(boolean isWriter) {
        this.isWriter = isWriter;
    }

    @Override
    public void open(Path directory, Shape shape) {
        String place = directory.resolve("aeron").toString();
        if (isWriter) {
            driver =
                    MediaDriver.launch(
                            new MediaDriver.Context()
                                    .aeronDirectoryName(place)
                                    .dirDeleteOnShutdown(true)
                                    .threadingMode(ThreadingMode.SHARED));
        }
        aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(place));
    }

    @Override
    public LogAppender appender() {
        ExclusivePublication publication =
                aeron.addExclusivePublication(Aeron.Context.IPC_CHANNEL, STREAM);
        UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
        return value -> {
            buffer.wrap(value);
            long end = publication.offer(buffer, 0, value.length);
            while (end < 0) {
                if (end == Publication.CLOSED || end == Publication.MAX_POSITION_EXCEEDED) {
                    throw new IllegalStateException("Aeron refused a message: " + end);
                }
                Thread.onSpinWait();
                end = publication.offer(buffer, 0, value.length);
            }
        };
    }

    @Override
    public LogReader reader() {
        return new Reader(aeron.addSubscription(Aeron.Context.IPC_CHANNEL, STREAM));
    }

    @Override
    public String version() {
        return AeronVersion.VERSION;
    }

    @Override
    public void close() {
        aeron.close();
        if (driver != null) {
            driver.close();
        }
    }

    private static final class Reader implements LogReader {
        private final Subscription subscription;
        private byte[] target;
        private Runnable onRecord;
        private final FragmentHandler copying =
                (buffer, offset, length, header) -> {
                    buffer.getBytes(offset, target, 0, length);
                    onRecord.run();
                };

        Reader(Subscription subscription) {
            this.subscription = subscription;
        }

        @Override
        public int poll(byte[] to, Runnable callback) {
            target = to;
            onRecord = callback;
            return subscription.poll(copying, FRAGMENTS);
        }

        @Override
        public void rewind() {
            throw new UnsupportedOperationException("Aeron IPC keeps nothing");
        }

        @Override
        public void close() {
            subscription.close();
        }
    }
}
