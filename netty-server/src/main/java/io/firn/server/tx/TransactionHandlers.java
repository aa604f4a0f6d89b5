package io.firn.server.tx;

import io.firn.server.config.ServerConfig;
import io.firn.server.group.GroupHandlers;
import io.firn.server.log.ServedTopics;
import io.firn.server.wire.ApiTable;
import java.util.concurrent.Executor;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.protocol.ApiKeys;

/** The parts that serve transactions. */
public final class TransactionHandlers {
    /** The last version without a transaction that is prepared for another coordinator. */
    private static final short INIT_LATEST = 5;

    /** Later ones are for brokers. */
    private static final short ADD_PARTITIONS_LATEST = 3;

    private final InitProducerIdHandler ids;
    private final TransactionApis apis;
    private final TransactionAdmin admin;
    private final GroupHandlers groups;

    /** Creates the handlers. */
    public TransactionHandlers(ServedTopics topics, GroupHandlers groups, ServerConfig config) {
        this.groups = groups;
        this.ids = new InitProducerIdHandler(topics, config.integer("transaction.max.timeout.ms"));
        this.apis =
                new TransactionApis(topics, groups.transactionMetadata(), groups.lateRequests());
        this.admin = new TransactionAdmin(topics);
    }

    /**
     * Serves the APIs.
     *
     * @param producers runs what producers wait for, which may wait for a disk
     * @param administrators runs what administrators wait for
     */
    public void serve(ApiTable table, Executor producers, Executor administrators) {
        table.serve(
                ApiKeys.INIT_PRODUCER_ID,
                INIT_LATEST,
                InitProducerIdRequestData.class,
                producers,
                ids);
        table.serve(
                ApiKeys.ADD_PARTITIONS_TO_TXN,
                ADD_PARTITIONS_LATEST,
                AddPartitionsToTxnRequestData.class,
                producers,
                apis::addPartitions);
        table.serve(
                ApiKeys.ADD_OFFSETS_TO_TXN,
                AddOffsetsToTxnRequestData.class,
                producers,
                apis::addOffsets);
        table.serve(
                ApiKeys.TXN_OFFSET_COMMIT,
                TxnOffsetCommitRequestData.class,
                producers,
                groups.transactionalCommits());
        table.serve(ApiKeys.END_TXN, EndTxnRequestData.class, producers, apis::end);
        serveAdmin(table, administrators);
    }

    private void serveAdmin(ApiTable table, Executor administrators) {
        table.serve(
                ApiKeys.WRITE_TXN_MARKERS,
                WriteTxnMarkersRequestData.class,
                administrators,
                admin::writeMarkers);
        table.serve(
                ApiKeys.DESCRIBE_PRODUCERS,
                DescribeProducersRequestData.class,
                administrators,
                admin::describeProducers);
        table.serve(
                ApiKeys.DESCRIBE_TRANSACTIONS,
                DescribeTransactionsRequestData.class,
                administrators,
                admin::describe);
        table.serve(
                ApiKeys.LIST_TRANSACTIONS,
                ListTransactionsRequestData.class,
                administrators,
                admin::list);
    }
}
