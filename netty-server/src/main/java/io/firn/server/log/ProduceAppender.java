package io.firn.server.log;

import io.firn.Appender;
import io.firn.IsolationLevel;
import io.firn.host.HostedAppender;
import io.firn.host.InvalidBatchException;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.EpochClock;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Checks and appends the batch that a produce request has for one partition. Thread-safe. */
final class ProduceAppender {
    private static final short FIRST_WITH_IDS = 13;

    private final ServedTopics topics;
    private final EpochClock clock;
    private final boolean ackOneWaits;
    private final FreeSpace space;
    private final TransactionVerification transactions;

    /** What became of a batch. */
    enum Outcome {
        /** It is appended, or refused in its result. */
        DONE,
        /** The next block is not reserved yet; try again later. */
        AGAIN,
        /** It has to be decompressed, which may take long; try again where that holds up nobody. */
        ELSEWHERE
    }

    /**
     * What holds for all batches of a request.
     *
     * @param owner the client whose share of memory is used
     * @param transactionalId null if none of them belongs to a transaction
     * @param access what the producer may do
     * @param mayBeNamed how many refused records the answer may still name, as each is an object
     */
    record Terms(
            short version,
            short acks,
            String clientId,
            String owner,
            String transactionalId,
            Access access,
            AtomicInteger mayBeNamed) {

        /** Returns whether the producer may write in the transaction that it names. */
        boolean allowsTransaction() {
            return transactionalId != null
                    && access.may(Right.PRODUCE_IN_TRANSACTION, transactionalId);
        }
    }

    /** A partition's part of a request, and of its response. */
    record Item(
            Terms terms,
            TopicProduceData topic,
            PartitionProduceData data,
            PartitionProduceResponse result) {

        void refuse(Errors error, String message) {
            result.setErrorCode(error.code())
                    .setErrorMessage(message == null ? error.message() : message)
                    .setBaseOffset(-1)
                    .setLogAppendTimeMs(-1);
        }

        /** Names records that are refused. */
        void name(List<BatchIndexAndErrorMessage> records) {
            terms.mayBeNamed.addAndGet(-records.size());
            result.setRecordErrors(records);
        }

        /** Returns how many refused records the answer may still name. */
        int mayBeNamed() {
            return terms.mayBeNamed.get();
        }

        /** Returns whether the request names topics by their ids. */
        boolean isById() {
            return terms.version >= FIRST_WITH_IDS;
        }

        /** Returns the size of the records. */
        long bytes() {
            return data.records() == null ? 0 : data.records().sizeInBytes();
        }

        /** Returns whether the batch says that it belongs to a transaction. */
        boolean isTransactional() {
            return data.records() instanceof MemoryRecords records
                    && new ProducedBatch(records.buffer()).isTransactional();
        }
    }

    ProduceAppender(ServedTopics topics, EpochClock clock, boolean ackOneWaits, FreeSpace space) {
        this.topics = topics;
        this.space = space;
        this.clock = clock;
        this.ackOneWaits = ackOneWaits;
        this.transactions = new TransactionVerification(topics);
    }

    /**
     * Appends a batch, or refuses it in its result. The rights of the transaction that its request
     * names were checked.
     *
     * @param forces receives a future if the request has to wait for a force
     * @param mayTakeLong whether a batch may be decompressed
     */
    Outcome tryAppend(Item item, List<CompletableFuture<?>> forces, boolean mayTakeLong) {
        try {
            return append(item, forces, mayTakeLong);
        } catch (RuntimeException e) {
            Errors error =
                    item.isTransactional()
                            ? TransactionVerification.codeOf(e, item.terms.version)
                            : ErrorMapper.codeOf(e);
            item.refuse(error, ErrorMapper.textOf(e));
            return Outcome.DONE;
        }
    }

    private Outcome append(Item item, List<CompletableFuture<?>> forces, boolean mayTakeLong) {
        ServedTopic topic = find(item);
        ServedPartition partition = topic == null ? null : topic.partition(item.data.index());
        if (!isPermitted(item, topic)
                || !exists(item, topic, partition)
                || !takesRecords(item, topic)) {
            return Outcome.DONE;
        }
        if (!(item.data.records() instanceof MemoryRecords records)) {
            item.refuse(Errors.INVALID_RECORD, "no records");
            return Outcome.DONE;
        }
        ProducedBatch batch = new ProducedBatch(records.buffer());
        EffectiveTopicConfig settings = topic.settings();
        Outcome checked = check(item, batch, settings, mayTakeLong);
        if (checked != null) {
            return checked;
        }
        if (batch.isTransactional()) {
            transactions.admit(
                    item.terms.transactionalId,
                    item.terms.owner,
                    batch.producer(),
                    partition.partition(),
                    item.terms.version);
        }
        return append(item, batch, partition, settings.isCompacted(), forces);
    }

    // ---- the topic

    private ServedTopic find(Item item) {
        return item.isById() ? topics.find(item.topic.topicId()) : topics.find(item.topic.name());
    }

    /** A topic whose id is unknown is missing for everybody. */
    private static boolean isPermitted(Item item, ServedTopic topic) {
        String name = topic == null ? item.topic.name() : topic.name();
        if ((topic != null || !item.isById()) && !item.terms.access.may(Right.PRODUCE, name)) {
            item.refuse(Errors.TOPIC_AUTHORIZATION_FAILED, null);
            return false;
        }
        return true;
    }

    private static boolean exists(Item item, ServedTopic topic, ServedPartition partition) {
        if (partition == null) {
            boolean isIdUnknown = item.isById() && topic == null;
            item.refuse(
                    isIdUnknown ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION,
                    null);
            return false;
        }
        return true;
    }

    /** Returns whether clients may append to the topic now. */
    private boolean takesRecords(Item item, ServedTopic topic) {
        if (!topic.takesFrom(item.terms.clientId)) {
            item.refuse(
                    Errors.INVALID_TOPIC_EXCEPTION,
                    "Cannot append to internal topic " + topic.name() + "; choose another name.");
            return false;
        }
        if (space.isLow()) {
            item.refuse( // the client tries again
                    Errors.KAFKA_STORAGE_ERROR,
                    "The server has less free space than firn.min.free.bytes and takes no records"
                            + " of clients until some is freed.");
            return false;
        }
        return true;
    }

    // ---- the batch

    /**
     * Checks what a batch says of itself, and gives it the time of the log where the topic wants
     * that.
     *
     * @return what became of it; null if it can be appended
     */
    private Outcome check(
            Item item, ProducedBatch batch, EffectiveTopicConfig settings, boolean mayTakeLong) {
        if (!mayTakeLong && batch.isDense()) {
            return Outcome.ELSEWHERE; // the log decompresses it to count its records
        }
        long now = clock.time();
        Errors wrong = batch.check(settings, item.terms.version, now);
        if (wrong == Errors.NONE
                && !mayTakeLong
                && settings.isCompacted()
                && batch.isCompressed()) {
            return Outcome.ELSEWHERE; // the log looks at each key
        }
        if (wrong == Errors.NONE && settings.isAppendTime() && !batch.stamp(now)) {
            wrong = Errors.CORRUPT_MESSAGE;
        }
        if (wrong == Errors.INVALID_TIMESTAMP) {
            item.refuse(wrong, batch.aboutTime(settings, now));
            item.name(batch.outsideTime(settings, now, item.mayBeNamed()));
            return Outcome.DONE;
        }
        if (wrong != Errors.NONE) {
            item.refuse(wrong, wrong == Errors.INVALID_RECORD ? batch.aboutHeader() : null);
            return Outcome.DONE;
        }
        item.result.setLogAppendTimeMs(settings.isAppendTime() ? now : -1);
        return null;
    }

    // ---- the log

    private Outcome append(
            Item item,
            ProducedBatch batch,
            ServedPartition partition,
            boolean isCompacted,
            List<CompletableFuture<?>> forces) {
        HostedAppender appender = partition.acquire();
        boolean isKept = false;
        try {
            long offset = append(appender, item, batch, isCompacted);
            if (offset == Appender.BACK_PRESSURED) {
                return Outcome.AGAIN;
            }
            item.result
                    .setBaseOffset(offset)
                    .setLogStartOffset(partition.partition().logStartOffset());
            long end = partition.partition().visibleOffset(IsolationLevel.READ_UNCOMMITTED);
            if (waitsForForce(item.terms.acks) && end < offset + batch.count()) {
                CompletableFuture<Long> forced = appender.whenDurable(offset + batch.count() - 1);
                isKept = true;
                forces.add(forced.handle((durable, e) -> onForced(item, partition, e)));
            }
            return Outcome.DONE;
        } finally {
            if (!isKept) {
                partition.release();
            }
        }
    }

    private static long append(
            HostedAppender appender, Item item, ProducedBatch batch, boolean isCompacted) {
        try {
            return appender.tryAppendBatch(batch.bytes());
        } catch (InvalidBatchException e) {
            if (isCompacted && !e.isCorrupt()) {
                item.name(batch.withoutKey(item.mayBeNamed()));
            }
            throw e;
        }
    }

    private boolean waitsForForce(short acks) {
        return acks == -1 || (acks == 1 && ackOneWaits);
    }

    /** Before the response, after which a client may expect to open an appender. */
    private static Object onForced(Item item, ServedPartition partition, Throwable e) {
        partition.release();
        if (e != null) {
            item.refuse(ErrorMapper.codeOf(e), ErrorMapper.textOf(e));
        }
        return null;
    }
}
