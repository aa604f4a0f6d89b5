package io.firn.server.wire;

import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnPartitionResult;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnTopicResult;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsTopicResult;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResult;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic;
import org.apache.kafka.common.message.DescribeTransactionsResponseData.TopicData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponsePartition;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponseTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;

/**
 * Elements of responses, each with a hash of its own. Kafka's collections hash them by names and
 * numbers that a client chooses, and need time by the square if these have one hash. Responses are
 * written in order, and nothing is looked up in them.
 */
public final class ResponseElements {
    private ResponseElements() {}

    /** A topic of Produce. */
    public static final class ProducedTopic extends TopicProduceResponse {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** A topic of AddPartitionsToTxn. */
    public static final class AddedTopic extends AddPartitionsToTxnTopicResult {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** A topic of DescribeTransactions. */
    public static final class TransactionTopic extends TopicData {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** A topic of CreateTopics. */
    public static final class CreatedTopic extends CreatableTopicResult {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** A topic of OffsetForLeaderEpoch. */
    public static final class EpochsTopic extends OffsetForLeaderTopicResult {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** A topic of DeleteTopics. */
    public static final class DeletedTopic extends DeletableTopicResult {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** A topic of Metadata. */
    public static final class MetadataTopic extends MetadataResponseTopic {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** A topic of DescribeTopicPartitions. */
    public static final class DescribedTopic extends DescribeTopicPartitionsResponseTopic {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** A topic of DeleteRecords. */
    public static final class DeletedRecordsTopic extends DeleteRecordsTopicResult {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** A partition of DeleteRecords. */
    public static final class DeletedRecordsPartition extends DeleteRecordsPartitionResult {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** A group of DeleteGroups. */
    public static final class DeletedGroup extends DeletableGroupResult {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** A topic of OffsetDelete. */
    public static final class DeletedOffsetsTopic extends OffsetDeleteResponseTopic {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** A partition of OffsetDelete. */
    public static final class DeletedOffset extends OffsetDeleteResponsePartition {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** A partition of AddPartitionsToTxn. */
    public static final class AddedPartition extends AddPartitionsToTxnPartitionResult {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }
}
