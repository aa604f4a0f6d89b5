package io.firn.server.log;

import io.firn.BatchReader;
import io.firn.BatchRun;
import io.firn.Partition;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.LogRecords;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;

/**
 * One fetch request. It reads; if there is less than the client wants, it waits without holding
 * anything, and reads again when more became visible or the time is up. Batches of the segment that
 * is written to are in memory, and are read on the event loop; older ones may have to come from a
 * disk, and are brought in by a background thread, so that no other client waits for them.
 */
final class FetchTask {
    private static final short FIRST_WITH_IDS = 13;
    private static final int PAGE = 4096;
    private static final int MOST_RUNS = 16;
    private static final int MOST_WAIT_MS = 10 * 60 * 1000;

    private final FetchHandler handler;
    private final Exchange exchange;
    private final FetchRequestData request;
    private final Map<ServedPartition, BatchReader> readers;
    private final long startNs = System.nanoTime();
    private final Runnable wakeUp = this::wakeUp;
    private final Runnable onClose = this::stopWaiting;
    private final AtomicBoolean woken = new AtomicBoolean();

    // On the event loop.
    private final Set<ServedPartition> watched = new LinkedHashSet<>();
    private ScheduledFuture<?> timeOut;
    private Answer last;
    private boolean waiting;
    private boolean looking;
    private boolean lookAgain;

    FetchTask(FetchHandler handler, Exchange exchange, FetchRequestData request) {
        this.handler = handler;
        this.exchange = exchange;
        this.request = request;
        this.readers = FetchHandler.readersOf(exchange);
    }

    void start() {
        look();
    }

    // ---- when to look

    private void look() {
        if (!exchange.isOpen()) {
            stopWaiting();
            return;
        }
        if (looking) {
            lookAgain = true;
            return;
        }
        looking = true;
        if (isCold()) {
            handler.background()
                    .execute(
                            () -> {
                                Answer answer;
                                try {
                                    answer = read();
                                } catch (RuntimeException e) {
                                    exchange.fail(e); // else it would be waited for, for ever
                                    return;
                                }
                                answer.bringIn();
                                try {
                                    exchange.eventLoop().execute(() -> decide(answer));
                                } catch (RuntimeException e) {
                                    answer.close(); // the event loop has ended
                                }
                            });
        } else {
            decide(read());
        }
    }

    private boolean isCold() {
        for (FetchTopic topic : request.topics()) {
            for (FetchPartition each : topic.partitions()) {
                ServedPartition served = find(topic, each);
                if (served != null && each.fetchOffset() < served.partition().activeOffset()) {
                    return true;
                }
            }
        }
        return false;
    }

    private void decide(Answer answer) {
        looking = false;
        if (!exchange.isOpen()) {
            answer.close();
            stopWaiting();
            return;
        }
        boolean enough = answer.bytes >= request.minBytes() || answer.failed;
        if (enough || leftMs() <= 0) {
            stopWaiting();
            exchange.reply(answer.response);
            return;
        }
        answer.close();
        last = answer;
        if (!waiting) {
            waitFor(answer);
        } else if (lookAgain) {
            lookAgain = false;
            look();
        }
    }

    private long leftMs() {
        long wait = Math.min(request.maxWaitMs(), MOST_WAIT_MS);
        return wait - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
    }

    private void waitFor(Answer answer) {
        waiting = true;
        for (FetchTopic topic : request.topics()) {
            for (FetchPartition each : topic.partitions()) {
                ServedPartition served = find(topic, each);
                if (served != null && watched.add(served)) {
                    served.watch(wakeUp);
                }
            }
        }
        exchange.connection().onClose(onClose);
        timeOut = exchange.eventLoop().schedule(this::onTimeOut, leftMs(), TimeUnit.MILLISECONDS);
        if (answer.visible != visible()) {
            look(); // it moved before we began to watch
        }
    }

    /** Most long polls end like this: nothing came, so the answer is the one from the beginning. */
    private void onTimeOut() {
        boolean isSame = last.bytes == 0 && last.visible == visible();
        if (isSame && waiting && !looking && exchange.isOpen()) {
            stopWaiting();
            exchange.reply(last.response);
        } else {
            look();
        }
    }

    /** Sum of the visible ends: it changes when any of them moves. */
    private long visible() {
        long sum = 0;
        for (FetchTopic topic : request.topics()) {
            for (FetchPartition each : topic.partitions()) {
                ServedPartition served = find(topic, each);
                sum += served == null ? 0 : served.partition().visibleOffset() + 1;
            }
        }
        return sum;
    }

    /** Called on the thread that forced or appended. */
    private void wakeUp() {
        if (woken.compareAndSet(false, true)) {
            try {
                exchange.eventLoop().execute(this::lookWhenWaiting);
            } catch (RejectedExecutionException e) {
                woken.set(true); // the event loop has ended, and the connection with it
            }
        }
    }

    private void lookWhenWaiting() {
        woken.set(false); // before the look: what comes later looks again
        if (waiting) {
            look();
        }
    }

    private void stopWaiting() {
        if (waiting) {
            waiting = false;
            watched.forEach(each -> each.leave(wakeUp));
            watched.clear();
            timeOut.cancel(false);
            exchange.connection().forget(onClose);
        }
    }

    // ---- looking

    private ServedPartition find(FetchTopic topic, FetchPartition partition) {
        ServedTopic served =
                exchange.version() >= FIRST_WITH_IDS
                        ? handler.topics().find(topic.topicId())
                        : handler.topics().find(topic.topic());
        return served == null ? null : served.partition(partition.partition());
    }

    private Answer read() {
        Answer answer = new Answer();
        answer.visible = visible();
        for (FetchTopic topic : request.topics()) {
            FetchableTopicResponse results =
                    new FetchableTopicResponse()
                            .setTopic(topic.topic())
                            .setTopicId(topic.topicId());
            answer.response.responses().add(results);
            for (FetchPartition each : topic.partitions()) {
                results.partitions().add(read(topic, each, answer));
            }
        }
        return answer;
    }

    private PartitionData read(FetchTopic topic, FetchPartition each, Answer answer) {
        PartitionData data =
                new PartitionData()
                        .setPartitionIndex(each.partition())
                        .setRecords(LogRecords.EMPTY)
                        .setAbortedTransactions(request.isolationLevel() == 0 ? null : List.of());
        ServedPartition served = find(topic, each);
        if (served == null) {
            boolean byId =
                    exchange.version() >= FIRST_WITH_IDS
                            && handler.topics().find(topic.topicId()) == null;
            return refuse(
                    data,
                    byId ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION,
                    answer);
        }
        Partition partition = served.partition();
        try {
            int limit = Math.min(request.maxBytes(), handler.maxBytes());
            int room = Math.max(0, Math.min(each.partitionMaxBytes(), limit - answer.bytes));
            List<BatchRun> runs = take(served, each.fetchOffset(), room, answer.bytes == 0);
            LogRecords records = new LogRecords(runs);
            answer.bytes += records.sizeInBytes();
            data.setRecords(records);
        } catch (RuntimeException e) {
            return refuse(data, Failures.codeOf(e), answer);
        }
        long end = partition.visibleOffset();
        return data.setHighWatermark(end)
                .setLastStableOffset(end)
                .setLogStartOffset(partition.logStartOffset());
    }

    private List<BatchRun> take(ServedPartition served, long from, int room, boolean atLeastOne) {
        BatchReader reader = readers.remove(served);
        if (reader == null) {
            reader = served.partition().openBatchReader();
        }
        List<BatchRun> runs = new ArrayList<>(2);
        try {
            BatchRun run = reader.read(from, room, atLeastOne);
            int left = room;
            while (run != null) {
                runs.add(run);
                left -= run.bytes().remaining();
                run =
                        left > 0 && runs.size() < MOST_RUNS
                                ? reader.read(run.nextOffset(), left, false)
                                : null;
            }
        } catch (RuntimeException e) {
            if (runs.isEmpty()) {
                throw e;
            }
            // What lies before the trouble is good; the next fetch meets the trouble.
        }
        FetchHandler.keep(readers, served, reader);
        return runs;
    }

    private static PartitionData refuse(PartitionData data, Errors error, Answer answer) {
        answer.failed = true;
        return data.setErrorCode(error.code())
                .setHighWatermark(-1)
                .setLastStableOffset(-1)
                .setLogStartOffset(-1);
    }

    /** What was found; holds the log's bytes until it is sent or closed. */
    private static final class Answer implements AutoCloseable {
        @SuppressWarnings("UnusedVariable") // keeps the loads
        private static volatile int blackHole;

        private final FetchResponseData response = new FetchResponseData();
        private int bytes;
        private boolean failed;
        private long visible;

        /** Has the pages come in, before an event loop would wait for them. */
        void bringIn() {
            forEachRecords(
                    records -> {
                        for (ByteBuffer run : records.buffers()) {
                            touch(run);
                        }
                    });
        }

        private static void touch(ByteBuffer bytes) {
            int sum = 0;
            try {
                for (int at = bytes.position(); at < bytes.limit(); at += PAGE) {
                    sum += bytes.get(at);
                }
            } catch (InternalError e) {
                sum = 0; // the page is gone; the socket's write says so to this client
            }
            blackHole = sum;
        }

        private void forEachRecords(java.util.function.Consumer<LogRecords> action) {
            response.responses()
                    .forEach(
                            topic ->
                                    topic.partitions()
                                            .forEach(
                                                    each ->
                                                            action.accept(
                                                                    (LogRecords) each.records())));
        }

        @Override
        public void close() {
            forEachRecords(LogRecords::close);
        }
    }
}
