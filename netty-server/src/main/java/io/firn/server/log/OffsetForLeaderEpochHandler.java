package io.firn.server.log;

import io.firn.IsolationLevel;
import io.firn.Partition;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import io.firn.server.wire.ResponseElements;
import java.util.stream.Stream;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResultCollection;
import org.apache.kafka.common.protocol.Errors;

/**
 * Handles OffsetForLeaderEpoch: looks up the epochs in the batches. No other response contains an
 * epoch, but some clients ask with the epoch of a batch.
 */
public final class OffsetForLeaderEpochHandler implements Handler<OffsetForLeaderEpochRequestData> {
    private static final int EPOCH = 12;

    private final ServedTopics topics;

    /** Creates the handler. */
    public OffsetForLeaderEpochHandler(ServedTopics topics) {
        this.topics = topics;
    }

    @Override
    public void handle(Exchange exchange, OffsetForLeaderEpochRequestData request) {
        OffsetForLeaderEpochResponseData response = new OffsetForLeaderEpochResponseData();
        Access access = exchange.connection().access();
        boolean all = access.has(Right.EPOCHS_OF_ALL);
        response.setTopics(new OffsetForLeaderTopicResultCollection(request.topics().size()));
        exchange.inSteps(
                () ->
                        request.topics().stream()
                                .flatMap(topic -> epochs(topic, all, access, response))
                                .iterator(),
                Runnable::run,
                () -> exchange.reply(response));
    }

    /** Returns the work for each partition of a topic. */
    private Stream<Runnable> epochs(
            OffsetForLeaderTopic topic,
            boolean all,
            Access access,
            OffsetForLeaderEpochResponseData response) {
        OffsetForLeaderTopicResult results =
                new ResponseElements.EpochsTopic().setTopic(topic.topic());
        response.topics().add(results);
        boolean allowed = all || access.may(Right.EPOCHS, topic.topic());
        ServedTopic served = topics.find(topic.topic());
        return topic.partitions().stream()
                .map(each -> () -> results.partitions().add(epoch(each, allowed, served)));
    }

    private static EpochEndOffset epoch(
            OffsetForLeaderPartition asked, boolean allowed, ServedTopic served) {
        EpochEndOffset result = new EpochEndOffset().setPartition(asked.partition());
        ServedPartition found = served == null ? null : served.partition(asked.partition());
        if (!allowed) {
            result.setErrorCode(Errors.TOPIC_AUTHORIZATION_FAILED.code());
        } else if (found == null) {
            result.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        } else {
            try {
                find(found.partition(), asked.leaderEpoch(), result);
            } catch (RuntimeException e) {
                result.setErrorCode(ErrorMapper.codeOf(e).code());
            }
        }
        return result;
    }

    /** Finds the largest epoch up to the one asked for, and its end: epochs ascend with offsets. */
    private static void find(Partition partition, int asked, EpochEndOffset result) {
        BatchReader reader =
                HostedPartition.of(partition).openBatchReader(IsolationLevel.READ_UNCOMMITTED);
        long low = partition.logStartOffset();
        long high = partition.visibleOffset(IsolationLevel.READ_UNCOMMITTED);
        int epoch = -1;
        while (low < high) {
            long mid = (low + high) >>> 1;
            try (BatchRun run = reader.read(mid, 1, true)) {
                if (run == null) {
                    high = mid;
                    continue;
                }
                int there = run.bytes().getInt(run.bytes().position() + EPOCH);
                if (there > asked) {
                    high = Math.max(low, run.baseOffset());
                } else {
                    epoch = Math.max(epoch, there);
                    low = run.nextOffset();
                }
            }
        }
        if (epoch < 0) {
            result.setLeaderEpoch(asked).setEndOffset(partition.logStartOffset());
        } else {
            result.setLeaderEpoch(epoch).setEndOffset(low);
        }
    }
}
