package io.firn.bench.peers;

import io.aeron.Aeron;
import io.aeron.AeronVersion;
import io.aeron.ChannelUriStringBuilder;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.ArchivingMediaDriver;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.codecs.SourceLocation;
import io.aeron.archive.status.RecordingPos;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Aeron Archive with a recorded exclusive IPC publication. Media driver and archive run in this
 * process, each as one thread, because the machine may have two cores only. For the same reason an
 * appender that has to wait yields and does not spin.
 */
final class AeronPeer implements PeerLog {
    private static final int STREAM = 1001; // 10 and 20 are the archive's own
    private static final int REPLAY_STREAM = 1002;
    private static final int FRAGMENTS = 64;
    private static final int TERM_BYTES = 64 << 20;
    private static final long STALE_NS = TimeUnit.SECONDS.toNanos(30);

    private final boolean sync;
    private Path drivers;
    private ArchivingMediaDriver driver;
    private AeronArchive archive;
    private ExclusivePublication publication;
    private CountersReader counters;
    private int recorded = CountersReader.NULL_COUNTER_ID;
    private Recording recording;

    /** A recording that the archive has. */
    private record Recording(long id, long start, long stop, int initialTerm, int termBytes) {}

    AeronPeer(boolean sync) {
        this.sync = sync;
    }

    @Override
    public void open(Path directory, Shape shape) {
        // The driver's buffers are in memory by default, and are lost with it.
        drivers = Trees.inMemory(directory);
        launch(directory);
        archive =
                AeronArchive.connect(
                        new AeronArchive.Context()
                                .aeronDirectoryName(drivers.toString())
                                .controlRequestChannel(Aeron.Context.IPC_CHANNEL)
                                .controlResponseChannel(Aeron.Context.IPC_CHANNEL));
        counters = archive.context().aeron().countersReader();
        archive.listRecordings(
                0,
                1,
                (control,
                        correlation,
                        id,
                        from,
                        to,
                        start,
                        stop,
                        term,
                        file,
                        termBytes,
                        m,
                        s,
                        st,
                        c,
                        original,
                        source) -> recording = new Recording(id, start, stop, term, termBytes));
    }

    /** Waits until a killed archive's mark file is no longer taken for that of a running one. */
    private void launch(Path directory) {
        for (long until = System.nanoTime() + STALE_NS; driver == null; ) {
            try {
                driver = launchOnce(directory);
            } catch (IllegalStateException e) {
                if (System.nanoTime() > until || !e.getMessage().contains("active mark file")) {
                    throw e;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
    }

    private ArchivingMediaDriver launchOnce(Path directory) {
        int level = sync ? 1 : 0;
        return ArchivingMediaDriver.launch(
                new MediaDriver.Context()
                        .aeronDirectoryName(drivers.toString())
                        .dirDeleteOnStart(true)
                        .ipcTermBufferLength(TERM_BYTES)
                        .threadingMode(ThreadingMode.SHARED),
                new Archive.Context()
                        .aeronDirectoryName(drivers.toString())
                        .archiveDirectoryName(directory.resolve("archive").toString())
                        .threadingMode(ArchiveThreadingMode.SHARED)
                        .controlChannelEnabled(false)
                        .archiveClientContext(
                                new AeronArchive.Context()
                                        .controlResponseChannel(Aeron.Context.IPC_CHANNEL))
                        .recordingEventsEnabled(false)
                        .replicationChannel("aeron:udp?endpoint=localhost:0")
                        .catalogFileSyncLevel(level)
                        .fileSyncLevel(level));
    }

    @Override
    public LogAppender appender() {
        if (recording == null) {
            publication =
                    archive.addRecordedExclusivePublication(Aeron.Context.IPC_CHANNEL, STREAM);
        } else {
            extend(recording);
        }
        do {
            recorded =
                    RecordingPos.findCounterIdBySession(
                            counters, publication.sessionId(), archive.archiveId());
            Thread.yield();
        } while (recorded == CountersReader.NULL_COUNTER_ID);
        long id = RecordingPos.getRecordingId(counters, recorded);
        if (recording == null) {
            recording = new Recording(id, 0, 0, 0, 0);
        }
        UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
        return value -> {
            buffer.wrap(value);
            long end = publication.offer(buffer, 0, value.length);
            while (end < 0) {
                if (end == Publication.CLOSED || end == Publication.MAX_POSITION_EXCEEDED) {
                    throw new IllegalStateException("Aeron refused a message: " + end);
                }
                Thread.yield();
                end = publication.offer(buffer, 0, value.length);
            }
            if (sync) {
                await(end);
            }
        };
    }

    private void extend(Recording left) {
        String channel =
                new ChannelUriStringBuilder()
                        .media("ipc")
                        .initialPosition(left.stop, left.initialTerm, left.termBytes)
                        .build();
        publication = archive.context().aeron().addExclusivePublication(channel, STREAM);
        archive.extendRecording(left.id, channel, STREAM, SourceLocation.LOCAL);
    }

    private void await(long position) {
        while (counters.getCounterValue(recorded) < position) {
            Thread.yield();
        }
    }

    @Override
    public void finish() {
        await(publication.position());
    }

    @Override
    public LogReader reader() {
        if (publication != null) { // a live subscriber, which gets what may not be recorded yet
            Subscription live =
                    archive.context().aeron().addSubscription(Aeron.Context.IPC_CHANNEL, STREAM);
            while (!live.isConnected()) {
                Thread.yield();
            }
            return new Reader(live);
        }
        return new Reader(null);
    }

    @Override
    public String version() {
        return AeronVersion.VERSION;
    }

    @Override
    public void close() throws IOException {
        if (publication != null) {
            publication.close();
        }
        archive.close();
        driver.close();
        Trees.delete(drivers);
    }

    private final class Reader implements LogReader {
        private Subscription subscription;
        private byte[] target;
        private Runnable onRecord;
        private final FragmentHandler copying =
                (buffer, offset, length, header) -> {
                    buffer.getBytes(offset, target, 0, length);
                    onRecord.run();
                };

        Reader(Subscription live) {
            subscription = live;
            if (live == null) {
                rewind();
            }
        }

        @Override
        public int poll(byte[] to, Runnable callback) {
            target = to;
            onRecord = callback;
            return subscription.poll(copying, FRAGMENTS);
        }

        @Override
        public void rewind() {
            close();
            subscription =
                    archive.replay(
                            recording.id,
                            recording.start,
                            recording.stop - recording.start,
                            Aeron.Context.IPC_CHANNEL,
                            REPLAY_STREAM);
        }

        @Override
        public void close() {
            if (subscription != null) {
                subscription.close();
            }
        }
    }
}
