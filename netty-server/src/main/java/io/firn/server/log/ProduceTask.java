package io.firn.server.log;

import io.firn.server.log.ProduceAppender.Item;
import io.firn.server.log.ProduceAppender.Outcome;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.ResponseElements;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.Errors;

/**
 * One produce request. Its batches are appended on the connection's event loop, in order but for
 * those whose partition has no block yet: these are tried again when all others were tried, so that
 * the blocks of all partitions are reserved at the same time. While one is being reserved, the
 * connection handles no other request, so that what a producer sends later does not overtake. The
 * same holds while a batch is appended on another thread because it has to be decompressed to count
 * its records, or to look at their keys: that may take long, and other connections do not wait for
 * it. No thread waits for a force.
 */
final class ProduceTask {
    /** How many refused records an answer names at most. */
    private static final int MOST_NAMED = 1_000;

    private static final long BLOCK_RETRY_US = 500;

    /** After pauses that grow: on a disk that is too slow, a block may take seconds. */
    private static final long LONGEST_BLOCK_RETRY_US = 10_000;

    /**
     * So many of those that wait are tried after each pause, in turn. The block of one may need
     * what the block of another one holds until its batch is appended.
     */
    private static final int MOST_TRIES = 16;

    private static final long DECOMPRESSION_RETRY_US = 10_000;

    private final ProduceAppender appender;
    private final DecompressionQueue decompression;
    private final Exchange exchange;
    private final ProduceRequestData request;
    private final ProduceAppender.Terms terms;
    private final List<Item> items = new ArrayList<>();
    private final long bytes;
    private final ProduceResponseData response = new ProduceResponseData();

    /** The batches that are left; those that were tried last come last. */
    private final Deque<Item> rest;

    /** How many more of them may be tried in vain before a pause; all of them at first. */
    private int tries;

    private long retryUs = BLOCK_RETRY_US;
    private boolean blocking;
    private Runnable releaseBytes;

    ProduceTask(
            ProduceAppender appender,
            DecompressionQueue decompression,
            Exchange exchange,
            ProduceRequestData request,
            int throttleMs) {
        this.appender = appender;
        this.decompression = decompression;
        this.exchange = exchange;
        this.request = request;
        this.terms =
                new ProduceAppender.Terms(
                        exchange.version(),
                        request.acks(),
                        exchange.clientId(),
                        exchange.connection().owner(),
                        request.transactionalId(),
                        exchange.connection().access(),
                        new AtomicInteger(MOST_NAMED));
        response.setThrottleTimeMs(throttleMs);
        long sum = 0;
        for (TopicProduceData topic : request.topicData()) {
            TopicProduceResponse results =
                    new ResponseElements.ProducedTopic()
                            .setName(topic.name())
                            .setTopicId(topic.topicId());
            response.responses().add(results);
            for (PartitionProduceData data : topic.partitionData()) {
                PartitionProduceResponse result =
                        new PartitionProduceResponse().setIndex(data.index()).setBaseOffset(-1);
                results.partitionResponses().add(result);
                Item item = new Item(terms, topic, data, result);
                items.add(item);
                sum += item.bytes();
            }
        }
        bytes = sum;
        rest = new ArrayDeque<>(items);
        tries = items.size();
    }

    void run() {
        short acks = request.acks();
        if (acks < -1 || acks > 1) {
            items.forEach(item -> item.result().setErrorCode(Errors.INVALID_REQUIRED_ACKS.code()));
            exchange.reply(response);
            return;
        }
        if (items.stream().anyMatch(Item::isTransactional) && !terms.allowsTransaction()) {
            items.forEach(item -> item.refuse(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, null));
            answer(List.of());
            return;
        }
        appendRest(new ArrayList<>());
    }

    // ---- append

    /** Appends the batches that are left; continues later if one of them has to wait. */
    private void appendRest(List<CompletableFuture<?>> forces) {
        if (tries == 0) {
            tries = Math.min(MOST_TRIES, rest.size());
        }
        while (!rest.isEmpty()) {
            Item item = rest.element();
            Outcome outcome = tryAppend(item, forces, false);
            if (outcome == Outcome.ELSEWHERE && appendsElsewhere(item, forces)) {
                return;
            }
            if (!advance(outcome)) {
                awaitBlocks(forces);
                return;
            }
        }
        answer(forces);
        if (blocking) {
            releaseBytes.run();
            exchange.connection().unblock();
        }
    }

    /**
     * Goes from the first batch that is left to the next one.
     *
     * @return false if those that are left are to wait for their blocks: each of them was tried, so
     *     that its block is being reserved
     */
    private boolean advance(Outcome outcome) {
        boolean waits = outcome == Outcome.AGAIN;
        Item item = rest.remove();
        if (waits) {
            rest.add(item);
        } else {
            retryUs = BLOCK_RETRY_US;
        }
        tries = Math.min(waits ? tries - 1 : tries, rest.size());
        return tries > 0 || rest.isEmpty();
    }

    private void awaitBlocks(List<CompletableFuture<?>> forces) {
        appendRestLater(forces, retryUs);
        retryUs = Math.min(2 * retryUs, LONGEST_BLOCK_RETRY_US);
    }

    private Outcome tryAppend(Item item, List<CompletableFuture<?>> forces, boolean mayTakeLong) {
        return appender.tryAppend(item, forces, mayTakeLong);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it ends with the event loop
    private void appendRestLater(List<CompletableFuture<?>> forces, long us) {
        block();
        exchange.eventLoop().schedule(() -> appendRest(forces), us, TimeUnit.MICROSECONDS);
    }

    /** Keeps the bytes, which the exchange releases when it is answered or abandoned. */
    private void block() {
        if (!blocking) {
            blocking = true;
            releaseBytes = exchange.keepBytes();
            exchange.connection().block();
        }
    }

    // ---- append on another thread

    /** Returns false if the batch is refused; otherwise this task continues when it is appended. */
    private boolean appendsElsewhere(Item item, List<CompletableFuture<?>> forces) {
        block();
        try {
            if (decompression.tryRun(bytes, exchange.counted(() -> appendDense(item, forces)))) {
                return true;
            }
        } catch (RejectedExecutionException e) {
            item.refuse(Errors.NOT_LEADER_OR_FOLLOWER, "the server is closing");
            return false;
        }
        if (!exchange.isOpen()) {
            // Its bytes are charged to no connection any more, and nothing limits them.
            item.refuse(Errors.NOT_LEADER_OR_FOLLOWER, "the connection has ended");
            return false;
        }
        appendRestLater(forces, DECOMPRESSION_RETRY_US);
        return true;
    }

    /** Runs on another thread; the event loop does nothing for this request meanwhile. */
    private void appendDense(Item item, List<CompletableFuture<?>> forces) {
        boolean appended = true;
        boolean failed = true;
        try {
            appended = tryAppend(item, forces, true) == Outcome.DONE;
            failed = false;
        } finally {
            if (failed) { // an Error
                item.refuse(Errors.UNKNOWN_SERVER_ERROR, null);
            }
            continueAfterDense(appended, forces);
        }
    }

    private void continueAfterDense(boolean appended, List<CompletableFuture<?>> forces) {
        Runnable rest =
                () -> {
                    if (advance(appended ? Outcome.DONE : Outcome.AGAIN)) {
                        appendRest(forces);
                    } else {
                        awaitBlocks(forces);
                    }
                };
        try {
            exchange.eventLoop().execute(rest);
        } catch (RejectedExecutionException e) {
            releaseBytes.run(); // the event loop has ended, and the connection with it
        }
    }

    // ---- answer

    private void answer(List<CompletableFuture<?>> forces) {
        if (request.acks() == 0) {
            boolean failed = items.stream().anyMatch(item -> item.result().errorCode() != 0);
            if (failed) {
                // The only way to inform a producer that expects no response.
                exchange.connection().closeAfterFailure("a produce request without acks failed");
            } else {
                exchange.replyNothing();
            }
        } else if (forces.isEmpty()) {
            exchange.reply(response);
        } else {
            // Completed by the thread that forced; the response is sent by the event loop.
            CompletableFuture<Void> all =
                    CompletableFuture.allOf(forces.toArray(new CompletableFuture<?>[0]));
            var unused = all.whenComplete((nothing, e) -> exchange.reply(response));
        }
    }
}
