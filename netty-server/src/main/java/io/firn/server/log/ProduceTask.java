package io.firn.server.log;

import io.firn.Appender;
import io.firn.server.wire.Exchange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
 * what a producer sent later does not overtake. Forces are waited for without a thread.
 */
final class ProduceTask {
    private static final short FIRST_WITH_IDS = 13;
    private static final long BLOCK_RETRY_US = 500;

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

    /** Appends the batches that are left; is called again after a block was missing. */
    @SuppressWarnings("FutureReturnValueIgnored") // it ends with the event loop
    private void goOn(List<CompletableFuture<?>> forces) {
        while (next < items.size()) {
            Item item = items.get(next);
            boolean appended;
            try {
                appended = append(item, forces);
            } catch (RuntimeException e) {
                refuse(item, Failures.codeOf(e), e.getMessage());
                appended = true;
            }
            if (!appended) {
                block();
                exchange.eventLoop()
                        .schedule(() -> goOn(forces), BLOCK_RETRY_US, TimeUnit.MICROSECONDS);
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

    private void block() {
        if (!blocking) {
            blocking = true;
            exchange.connection().block();
        }
    }

    /** False when it has to be tried again. */
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
