package io.firn.server.log;

import io.firn.Appender;
import io.firn.server.wire.Exchange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * One produce request. Appends are made in order, on the connection's event loop; when a
 * partition's next block is still being prepared, the connection stops until it is there, so that
 * what a producer sent later does not overtake. It stops likewise while a batch is appended
 * elsewhere because it has to be decompressed for its records to be counted: that may take long,
 * and other connections are not to wait for it. Forces are waited for without a thread.
 */
final class ProduceTask {
    private static final short FIRST_WITH_IDS = 13;
    private static final long BLOCK_RETRY_US = 500;
    private static final long OPENING_RETRY_US = 10_000;

    private final ProduceHandler handler;
    private final Exchange exchange;
    private final ProduceRequestData request;
    private final List<Item> items = new ArrayList<>();
    private final ProduceResponseData response = new ProduceResponseData();
    private int next;
    private boolean blocking;
    private Runnable done;

    private record Item(
            TopicProduceData topic, PartitionProduceData data, PartitionProduceResponse result) {}

    ProduceTask(ProduceHandler handler, Exchange exchange, ProduceRequestData request) {
        this.handler = handler;
        this.exchange = exchange;
        this.request = request;
        for (TopicProduceData topic : request.topicData()) {
            TopicProduceResponse results =
                    new TopicProduceResponse().setName(topic.name()).setTopicId(topic.topicId());
            response.responses().add(results);
            for (PartitionProduceData data : topic.partitionData()) {
                PartitionProduceResponse result =
                        new PartitionProduceResponse().setIndex(data.index()).setBaseOffset(-1);
                results.partitionResponses().add(result);
                items.add(new Item(topic, data, result));
            }
        }
    }

    void run() {
        short acks = request.acks();
        if (acks < -1 || acks > 1) {
            items.forEach(item -> item.result.setErrorCode(Errors.INVALID_REQUIRED_ACKS.code()));
            exchange.reply(response);
            return;
        }
        done = exchange.keepBytes();
        goOn(new ArrayList<>());
    }

    /** Appends what is left; comes back when a block was missing, or when a batch was opened. */
    private void goOn(List<CompletableFuture<?>> forces) {
        while (next < items.size()) {
            Item item = items.get(next);
            if (isDense(item)) {
                if (hasOpened(item, forces)) {
                    return;
                }
            } else if (!tryAppend(item, forces)) {
                goOnLater(forces, BLOCK_RETRY_US);
                return;
            }
            next++;
        }
        done.run();
        finish(forces);
        if (blocking) {
            exchange.connection().unblock();
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it ends with the event loop
    private void goOnLater(List<CompletableFuture<?>> forces, long us) {
        block();
        exchange.eventLoop().schedule(() -> goOn(forces), us, TimeUnit.MICROSECONDS);
    }

    private static boolean isDense(Item item) {
        return item.data.records() instanceof MemoryRecords records
                && new ForeignRecords(records.buffer()).isDense();
    }

    /** False when the item is refused; else this goes on when it was opened, or could not be. */
    private boolean hasOpened(Item item, List<CompletableFuture<?>> forces) {
        long bytes = 0;
        for (Item each : items) {
            bytes += each.data.records() == null ? 0 : each.data.records().sizeInBytes();
        }
        try {
            if (handler.openings().tryRun(bytes, () -> open(item, forces))) {
                block();
                return true;
            }
        } catch (RejectedExecutionException e) {
            refuse(item, Errors.NOT_LEADER_OR_FOLLOWER, "the server ends");
            return false;
        }
        if (!exchange.isOpen()) {
            // Its bytes count for no connection any more, and there is no room to keep them.
            refuse(item, Errors.NOT_LEADER_OR_FOLLOWER, "the connection has ended");
            return false;
        }
        goOnLater(forces, OPENING_RETRY_US);
        return true;
    }

    /** Not on the event loop, which does nothing for this request meanwhile. */
    private void open(Item item, List<CompletableFuture<?>> forces) {
        boolean appended = true;
        boolean failed = true;
        try {
            appended = tryAppend(item, forces);
            failed = false;
        } finally {
            if (failed) { // an Error
                refuse(item, Errors.UNKNOWN_SERVER_ERROR, null);
            }
            goOnAfterOpening(appended, forces);
        }
    }

    private void goOnAfterOpening(boolean appended, List<CompletableFuture<?>> forces) {
        Runnable rest =
                () -> {
                    if (appended) {
                        next++;
                        goOn(forces);
                    } else {
                        goOnLater(forces, BLOCK_RETRY_US);
                    }
                };
        try {
            exchange.eventLoop().execute(rest);
        } catch (RejectedExecutionException e) {
            done.run(); // the event loop has ended, and the connection with it
        }
    }

    private void block() {
        if (!blocking) {
            blocking = true;
            exchange.connection().block();
        }
    }

    /** False when it has to be tried again; what cannot be appended is refused. */
    private boolean tryAppend(Item item, List<CompletableFuture<?>> forces) {
        try {
            return append(item, forces);
        } catch (RuntimeException e) {
            refuse(item, Failures.codeOf(e), e.getMessage());
            return true;
        }
    }

    private boolean append(Item item, List<CompletableFuture<?>> forces) {
        boolean byId = exchange.version() >= FIRST_WITH_IDS;
        ServedTopic topic =
                byId
                        ? handler.topics().find(item.topic.topicId())
                        : handler.topics().find(item.topic.name());
        ServedPartition partition = topic == null ? null : topic.partition(item.data.index());
        if (partition == null) {
            Errors unknown =
                    byId && topic == null
                            ? Errors.UNKNOWN_TOPIC_ID
                            : Errors.UNKNOWN_TOPIC_OR_PARTITION;
            refuse(item, unknown, null);
            return true;
        }
        if (topic.isInternal() && !InternalTopics.mayAppend(exchange.clientId())) {
            refuse(
                    item,
                    Errors.INVALID_TOPIC_EXCEPTION,
                    "Cannot append to internal topic " + topic.name() + "; choose another name.");
            return true;
        }
        if (!(item.data.records() instanceof MemoryRecords records)) {
            refuse(item, Errors.INVALID_RECORD, "no records");
            return true;
        }
        TopicSettings settings = topic.settings();
        long now = handler.nowMs();
        ForeignRecords batch = new ForeignRecords(records.buffer());
        Errors wrong = batch.check(settings, exchange.version(), now);
        if (wrong == Errors.NONE && settings.isAppendTime() && !batch.stamp(now)) {
            wrong = Errors.CORRUPT_MESSAGE;
        }
        if (wrong != Errors.NONE) {
            refuse(item, wrong, null);
            return true;
        }
        Appender appender = partition.appender();
        long offset = appender.appendBatchAsync(batch.bytes());
        if (offset == Appender.BACK_PRESSURED) {
            return false;
        }
        item.result
                .setBaseOffset(offset)
                .setLogAppendTimeMs(settings.isAppendTime() ? now : -1)
                .setLogStartOffset(partition.partition().logStartOffset());
        if (handler.waitsForForce(request.acks())
                && partition.partition().visibleOffset() < offset + batch.count()) {
            forces.add(
                    appender.whenDurable(offset + batch.count() - 1)
                            .exceptionally(
                                    e -> {
                                        refuse(item, Failures.codeOf(e), e.getMessage());
                                        return -1L;
                                    }));
        }
        return true;
    }

    private static void refuse(Item item, Errors error, String message) {
        item.result
                .setErrorCode(error.code())
                .setErrorMessage(message == null ? error.message() : message)
                .setBaseOffset(-1)
                .setLogAppendTimeMs(-1);
    }

    private void finish(List<CompletableFuture<?>> forces) {
        if (request.acks() == 0) {
            boolean failed = items.stream().anyMatch(item -> item.result.errorCode() != 0);
            if (failed) {
                // The only way to tell a producer that does not listen.
                exchange.connection().closeAfterFailure("a produce request without acks failed");
            } else {
                exchange.replyNothing();
            }
        } else if (forces.isEmpty()) {
            exchange.reply(response);
        } else {
            // Whoever forced completes it; the answer goes on from the event loop.
            CompletableFuture<Void> all =
                    CompletableFuture.allOf(forces.toArray(new CompletableFuture<?>[0]));
            var unused = all.whenComplete((nothing, e) -> exchange.reply(response));
        }
    }
}
