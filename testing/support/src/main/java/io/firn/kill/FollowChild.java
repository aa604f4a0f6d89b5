package io.firn.kill;

import io.firn.LogReader;
import io.firn.LogRecord;
import io.firn.OffsetOutOfRangeException;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.TopicReader;
import io.firn.UnknownTopicException;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;

/**
 * The JVM that reads what another one appends, and says what it saw, until it is killed. A report
 * is the lane (a byte), the offset (a long) and the sum (an int); of a lane in which retention
 * overtook it, the lane minus 128 and where it continues.
 */
final class FollowChild {
    static final int OVERTAKEN = 128;
    private static final int LIMIT = 200;

    private final LogReader store;
    private final DataOutputStream out;
    private final CRC32C crc = new CRC32C();
    private final Tailer[] tailers;

    private FollowChild(LogReader store, DataOutputStream out, int tailers) {
        this.store = store;
        this.out = out;
        this.tailers = new Tailer[tailers];
    }

    /**
     * Run with the directory, the class of the {@link Ground}, how to wait, and for each lane where
     * to begin. How to wait: {@code spin}, {@code park}, or {@code topic} for tailers over all
     * partitions of a topic.
     */
    public static void main(String[] arguments) throws Exception {
        Ground ground = (Ground) Class.forName(arguments[1]).getDeclaredConstructor().newInstance();
        try (LogReader store = Feed.store(Path.of(arguments[0]), ground).openReadOnly();
                DataOutputStream out =
                        new DataOutputStream(
                                new BufferedOutputStream(
                                        new FileOutputStream(FileDescriptor.out)))) {
            String wait = arguments[2];
            int count = wait.equals("topic") ? Feed.TOPICS.size() : Feed.LANES;
            FollowChild child = new FollowChild(store, out, count);
            child.open(arguments);
            child.tail(wait.equals("spin"));
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(2);
        }
    }

    private void open(String[] arguments) {
        boolean isEach = tailers.length == Feed.LANES;
        for (int lane = 0; lane < Feed.LANES; lane++) {
            int at = isEach ? lane : lane / Feed.PARTITIONS;
            TopicReader topic = await(Feed.topicOf(lane));
            if (tailers[at] == null) {
                tailers[at] =
                        isEach
                                ? topic.openTailer(
                                        TailerOptions.defaults()
                                                .withPartitions(Feed.partitionOf(lane)))
                                : topic.openTailer();
            }
            tailers[at].seek(Feed.partitionOf(lane), Long.parseLong(arguments[3 + lane]));
        }
    }

    private TopicReader await(String name) {
        while (true) {
            try {
                return store.openTopic(name);
            } catch (UnknownTopicException e) {
                LockSupport.parkNanos(1_000_000); // the writer has just begun
            }
        }
    }

    private void tail(boolean spins) throws IOException {
        while (true) {
            int taken = 0;
            for (int i = 0; i < tailers.length; i++) {
                taken += poll(i, spins || i > 0 ? Duration.ZERO : Duration.ofMillis(2));
            }
            if (taken > 0) {
                out.flush();
            }
        }
    }

    private int poll(int at, Duration timeout) throws IOException {
        int lane = tailers.length == Feed.LANES ? at : at * Feed.PARTITIONS;
        int first = lane / Feed.PARTITIONS * Feed.PARTITIONS;
        try {
            return tailers[at].poll(record -> tell(record, first), LIMIT, timeout);
        } catch (OffsetOutOfRangeException overtaken) {
            if (overtaken.offset() > overtaken.nextOffset()) {
                // The process before this one knew more from its writer, which is gone, than the
                // marks say; the next writer publishes it again.
                LockSupport.parkNanos(1_000_000);
                return 0;
            }
            tailers[at].seek(overtaken.partition(), overtaken.logStartOffset());
            out.writeByte(first + overtaken.partition() - OVERTAKEN);
            out.writeLong(overtaken.logStartOffset());
            out.writeInt(0);
            return 1;
        }
    }

    private Action tell(LogRecord record, int firstLane) {
        try {
            out.writeByte(firstLane + record.partition());
            out.writeLong(record.offset());
            out.writeInt(Feed.sumOf(record, crc));
            return Action.CONTINUE;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
