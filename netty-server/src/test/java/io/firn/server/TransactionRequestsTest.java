package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.host.ProducerIdentity;
import io.firn.sim.FirstRunOnly;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddOffsetsToTxnResponseData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarkerTopic;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests of transactions in the versions of old and of new clients. */
@FirstRunOnly
class TransactionRequestsTest {
    private static final String TOPIC = "orders";
    private static final String NAME = "payments";
    private static final String GROUP = "readers";

    @TempDir Path directory;

    private Running running;
    private Wire wire;
    private Uuid topicId;

    @BeforeEach
    void start() throws Exception {
        running = new Running(directory);
        running.createTopic(TOPIC, 2, Map.of());
        UUID id = running.store().openTopic(TOPIC).id();
        topicId = new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
        wire = new Wire(running.server());
    }

    @AfterEach
    void stop() throws Exception {
        wire.close();
        running.close();
    }

    // ---- requests

    private InitProducerIdResponseData init(
            int version, String name, int timeoutMs, ProducerIdentity expected) throws IOException {
        InitProducerIdRequestData request =
                new InitProducerIdRequestData()
                        .setTransactionalId(name)
                        .setTransactionTimeoutMs(timeoutMs);
        if (expected != null) {
            request.setProducerId(expected.id()).setProducerEpoch((short) expected.epoch());
        }
        return wire.ask(
                ApiKeys.INIT_PRODUCER_ID, version, request, new InitProducerIdResponseData());
    }

    private ProducerIdentity open(String name) throws IOException {
        InitProducerIdResponseData opened = init(4, name, 60_000, null);
        assertEquals(Errors.NONE.code(), opened.errorCode());
        return new ProducerIdentity(opened.producerId(), opened.producerEpoch());
    }

    private Errors add(int version, String name, ProducerIdentity producer) throws IOException {
        AddPartitionsToTxnRequestData request =
                new AddPartitionsToTxnRequestData()
                        .setV3AndBelowTransactionalId(name)
                        .setV3AndBelowProducerId(producer.id())
                        .setV3AndBelowProducerEpoch((short) producer.epoch());
        request.v3AndBelowTopics()
                .add(new AddPartitionsToTxnTopic().setName(TOPIC).setPartitions(List.of(0)));
        return Errors.forCode(
                wire.ask(
                                ApiKeys.ADD_PARTITIONS_TO_TXN,
                                version,
                                request,
                                new AddPartitionsToTxnResponseData())
                        .resultsByTopicV3AndBelow()
                        .iterator()
                        .next()
                        .resultsByPartition()
                        .iterator()
                        .next()
                        .partitionErrorCode());
    }

    private Errors addOffsets(int version, String name, ProducerIdentity producer)
            throws IOException {
        return Errors.forCode(
                wire.ask(
                                ApiKeys.ADD_OFFSETS_TO_TXN,
                                version,
                                new AddOffsetsToTxnRequestData()
                                        .setTransactionalId(name)
                                        .setProducerId(producer.id())
                                        .setProducerEpoch((short) producer.epoch())
                                        .setGroupId(GROUP),
                                new AddOffsetsToTxnResponseData())
                        .errorCode());
    }

    private static MemoryRecords batch(ProducerIdentity producer, int sequence) {
        return MemoryRecords.withTransactionalRecords(
                Compression.NONE,
                producer.id(),
                (short) producer.epoch(),
                sequence,
                new SimpleRecord("x".getBytes(StandardCharsets.UTF_8)));
    }

    private Errors produce(int version, String name, MemoryRecords records) throws IOException {
        ProduceRequestData request =
                Asks.produce(TOPIC, 0, Asks.ALL, records).setTransactionalId(name);
        return Errors.forCode(
                wire.ask(ApiKeys.PRODUCE, version, request, new ProduceResponseData())
                        .responses()
                        .iterator()
                        .next()
                        .partitionResponses()
                        .get(0)
                        .errorCode());
    }

    private EndTxnResponseData end(
            int version, String name, ProducerIdentity producer, boolean isCommit)
            throws IOException {
        return wire.ask(
                ApiKeys.END_TXN,
                version,
                endRequest(name, producer, isCommit),
                new EndTxnResponseData());
    }

    private static EndTxnRequestData endRequest(
            String name, ProducerIdentity producer, boolean isCommit) {
        return new EndTxnRequestData()
                .setTransactionalId(name)
                .setProducerId(producer.id())
                .setProducerEpoch((short) producer.epoch())
                .setCommitted(isCommit);
    }

    private Errors commitOffset(
            int version, ProducerIdentity producer, long offset, String member, int generation)
            throws IOException {
        return commitOffsets(version, commitRequest(version, producer, offset, member, generation));
    }

    private Errors commitOffsets(int version, TxnOffsetCommitRequestData request)
            throws IOException {
        return Errors.forCode(
                wire.ask(
                                ApiKeys.TXN_OFFSET_COMMIT,
                                version,
                                request,
                                new TxnOffsetCommitResponseData())
                        .topics()
                        .get(0)
                        .partitions()
                        .get(0)
                        .errorCode());
    }

    private TxnOffsetCommitRequestData commitRequest(
            int version, ProducerIdentity producer, long offset, String member, int generation) {
        TxnOffsetCommitRequestData request =
                new TxnOffsetCommitRequestData()
                        .setTransactionalId(NAME)
                        .setProducerId(producer.id())
                        .setProducerEpoch((short) producer.epoch())
                        .setGroupId(GROUP);
        if (version >= 3) {
            request.setMemberId(member).setGenerationIdOrMemberEpoch(generation);
        }
        request.topics()
                .add(
                        new TxnOffsetCommitRequestTopic()
                                .setName(TOPIC)
                                .setTopicId(topicId)
                                .setPartitions(
                                        List.of(
                                                new TxnOffsetCommitRequestPartition()
                                                        .setPartitionIndex(0)
                                                        .setCommittedOffset(offset))));
        return request;
    }

    private OffsetFetchResponsePartitions committed(boolean isStable) throws IOException {
        OffsetFetchRequestData request =
                new OffsetFetchRequestData()
                        .setRequireStable(isStable)
                        .setGroups(
                                List.of(
                                        new OffsetFetchRequestGroup()
                                                .setGroupId(GROUP)
                                                .setTopics(
                                                        List.of(
                                                                new OffsetFetchRequestTopics()
                                                                        .setName(TOPIC)
                                                                        .setPartitionIndexes(
                                                                                List.of(0))))));
        return wire.ask(ApiKeys.OFFSET_FETCH, 9, request, new OffsetFetchResponseData())
                .groups()
                .get(0)
                .topics()
                .get(0)
                .partitions()
                .get(0);
    }

    private static FetchRequestData committedFetch(int maxWaitMs) {
        return Asks.fetch(TOPIC, 0, 0, 1 << 20).setMaxWaitMs(maxWaitMs).setIsolationLevel((byte) 1);
    }

    // ---- tests

    @Test
    void shouldTakeABatchOnlyOfAPartitionThatIsInTheTransaction() throws Exception {
        ProducerIdentity old = open(NAME);
        assertEquals(Errors.INVALID_TXN_STATE, produce(9, NAME, batch(old, 0)));
        assertEquals(Errors.TRANSACTION_ABORTABLE, produce(11, NAME, batch(old, 0)));
        assertEquals(Errors.NONE, add(3, NAME, old));
        assertEquals(Errors.NONE, produce(9, NAME, batch(old, 0)));
        assertEquals(Errors.NONE.code(), end(3, NAME, old, true).errorCode());
        assertEquals(Errors.INVALID_TXN_STATE, produce(9, NAME, batch(old, 1)));
        // Newer clients leave it to the produce request.
        assertEquals(Errors.NONE, produce(12, NAME, batch(old, 1)));
        assertEquals(Errors.NONE, produce(11, NAME, batch(old, 2)));
    }

    @Test
    void shouldTakeNoBatchOfAProducerThatHasAnotherName() throws Exception {
        ProducerIdentity mine = open(NAME);
        ProducerIdentity theirs = open("others");
        assertEquals(Errors.NONE, add(3, "others", theirs));
        for (int version : List.of(9, 11, 12)) {
            assertEquals(
                    Errors.INVALID_PRODUCER_ID_MAPPING, produce(version, NAME, batch(theirs, 0)));
            assertEquals(
                    Errors.INVALID_PRODUCER_ID_MAPPING, produce(version, "none", batch(mine, 0)));
            assertEquals(
                    Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
                    produce(version, null, batch(mine, 0)));
        }
        assertEquals(Errors.INVALID_PRODUCER_ID_MAPPING, add(3, NAME, theirs));
        assertEquals(
                Errors.INVALID_PRODUCER_ID_MAPPING.code(), end(3, NAME, theirs, true).errorCode());
    }

    @Test
    void shouldTellAFencedProducerSoInTheWordsOfItsVersion() throws Exception {
        ProducerIdentity old = open(NAME);
        assertEquals(Errors.NONE, add(3, NAME, old));
        assertEquals(Errors.NONE, produce(9, NAME, batch(old, 0)));
        ProducerIdentity next = open(NAME);
        assertEquals(old.id(), next.id());
        assertTrue(next.epoch() > old.epoch());
        for (int version : List.of(9, 11, 12)) {
            assertEquals(Errors.INVALID_PRODUCER_EPOCH, produce(version, NAME, batch(old, 1)));
        }
        assertEquals(Errors.INVALID_PRODUCER_EPOCH, add(1, NAME, old));
        assertEquals(Errors.PRODUCER_FENCED, add(2, NAME, old));
        assertEquals(Errors.INVALID_PRODUCER_EPOCH, addOffsets(1, NAME, old));
        assertEquals(Errors.PRODUCER_FENCED, addOffsets(2, NAME, old));
        assertEquals(Errors.INVALID_PRODUCER_EPOCH.code(), end(1, NAME, old, true).errorCode());
        assertEquals(Errors.PRODUCER_FENCED.code(), end(2, NAME, old, true).errorCode());
        assertEquals(Errors.INVALID_PRODUCER_EPOCH, commitOffset(3, old, 0, "", -1));
        assertEquals(Errors.INVALID_PRODUCER_EPOCH.code(), init(3, NAME, 60_000, old).errorCode());
        assertEquals(Errors.PRODUCER_FENCED.code(), init(4, NAME, 60_000, old).errorCode());
        assertEquals(Errors.NONE.code(), init(4, NAME, 60_000, next).errorCode());
        // What it had produced is aborted.
        PartitionData found =
                Asks.fetched(
                        wire.ask(
                                ApiKeys.FETCH,
                                Asks.FETCH,
                                committedFetch(0),
                                new FetchResponseData()));
        assertEquals(
                List.of(new AbortedTransaction().setProducerId(old.id()).setFirstOffset(0)),
                found.abortedTransactions());
    }

    @Test
    void shouldOpenOnlyWhatIsAskedForInFull() throws Exception {
        assertEquals(
                Errors.INVALID_TRANSACTION_TIMEOUT.code(),
                init(4, NAME, 900_001, null).errorCode());
        assertEquals(Errors.INVALID_TRANSACTION_TIMEOUT.code(), init(4, NAME, 0, null).errorCode());
        assertEquals(Errors.INVALID_REQUEST.code(), init(4, "", 60_000, null).errorCode());
        assertEquals(
                Errors.INVALID_REQUEST.code(),
                init(4, NAME, 60_000, new ProducerIdentity(5, -1)).errorCode());
        assertEquals(Errors.NONE.code(), init(0, NAME, 900_000, null).errorCode());
    }

    @Test
    void shouldLetAProducerGoOnAndAnswerARepeatedRequestAlike() throws Exception {
        ProducerIdentity first = open(NAME);
        InitProducerIdResponseData next = init(4, NAME, 60_000, first);
        assertEquals(Errors.NONE.code(), next.errorCode());
        assertEquals(first.epoch() + 1, next.producerEpoch());
        assertEquals(next, init(4, NAME, 60_000, first));
        running.restart();
        wire.close();
        wire = new Wire(running.server());
        assertEquals(next, init(4, NAME, 60_000, first));
        ProducerIdentity now = new ProducerIdentity(next.producerId(), next.producerEpoch());
        assertEquals(Errors.NONE, produce(12, NAME, batch(now, 0)));
        assertEquals(Errors.PRODUCER_FENCED.code(), init(4, NAME, 60_000, first).errorCode());
        assertEquals(Errors.NONE, produce(12, NAME, batch(now, 1)));
        // Nobody has this name: that of a producer whose server has forgotten it.
        assertEquals(Errors.NONE.code(), init(4, "new", 60_000, first).errorCode());
    }

    @Test
    void shouldGiveANewEpochWithEachEndAndAnswerARepeatedOneAlike() throws Exception {
        ProducerIdentity first = open(NAME);
        assertEquals(Errors.NONE, produce(12, NAME, batch(first, 0)));
        EndTxnResponseData ended = end(5, NAME, first, true);
        assertEquals(Errors.NONE.code(), ended.errorCode());
        assertEquals(first.id(), ended.producerId());
        assertEquals(first.epoch() + 1, ended.producerEpoch());
        assertEquals(ended, end(5, NAME, first, true));
        assertEquals(Errors.INVALID_TXN_STATE.code(), end(5, NAME, first, false).errorCode());
        ProducerIdentity next = new ProducerIdentity(ended.producerId(), ended.producerEpoch());
        assertEquals(Errors.INVALID_PRODUCER_EPOCH, produce(12, NAME, batch(first, 1)));
        assertEquals(Errors.NONE, produce(12, NAME, batch(next, 0)));
        assertEquals(Errors.NONE.code(), end(5, NAME, next, false).errorCode());
    }

    @Test
    void shouldNotCommitByTheNewProtocolWhatWasCommittedByTheOlderOne() throws Exception {
        ProducerIdentity producer = open(NAME);
        assertEquals(Errors.NONE, produce(12, NAME, batch(producer, 0)));
        // Flink's sink does so after a restart, with what it remembers of another producer.
        assertEquals(Errors.NONE.code(), end(4, NAME, producer, true).errorCode());
        assertEquals(Errors.NONE.code(), end(4, NAME, producer, true).errorCode());
        // That producer would go on with the same epoch, and with the sequences of a new one.
        assertEquals(Errors.INVALID_TXN_STATE.code(), end(5, NAME, producer, true).errorCode());
        EndTxnResponseData aborted = end(5, NAME, producer, false);
        assertEquals(Errors.NONE.code(), aborted.errorCode());
        assertEquals(producer.epoch() + 1, aborted.producerEpoch());
        ProducerIdentity next = new ProducerIdentity(aborted.producerId(), aborted.producerEpoch());
        assertEquals(Errors.NONE, produce(12, NAME, batch(next, 0)));
        assertEquals(Errors.NONE.code(), end(5, NAME, next, true).errorCode());
    }

    /** Sends a request on a connection that was cut off, on which nobody waits for an answer. */
    private static void assertRefused(Wire late, ApiKeys key, int version, ApiMessage request)
            throws IOException {
        late.send(Wire.request(key, (short) version, request));
        assertThrows(EOFException.class, late::receive);
    }

    @Test
    void shouldEndNoTransactionByARequestThatWasSentForTheOneBefore() throws Exception {
        ProducerIdentity producer = open(NAME);
        assertEquals(Errors.NONE, add(3, NAME, producer));
        assertEquals(Errors.NONE, produce(9, NAME, batch(producer, 0)));
        try (Wire cutOff = wire) {
            wire = new Wire(running.server());
            assertEquals(Errors.NONE.code(), end(3, NAME, producer, true).errorCode());
            assertEquals(Errors.NONE, add(3, NAME, producer));
            assertEquals(Errors.NONE, produce(9, NAME, batch(producer, 1)));
            assertRefused(cutOff, ApiKeys.END_TXN, 3, endRequest(NAME, producer, true));
        }
        assertEquals(Errors.NONE.code(), end(3, NAME, producer, false).errorCode());
    }

    @Test
    void shouldTakeNoOffsetBackByARequestThatComesLate() throws Exception {
        ProducerIdentity producer = open(NAME);
        assertEquals(Errors.NONE, add(3, NAME, producer));
        assertEquals(Errors.NONE, produce(9, NAME, batch(producer, 0)));
        try (Wire cutOff = wire) {
            wire = new Wire(running.server());
            assertEquals(Errors.NONE, commitOffset(3, producer, 0, "", -1));
            assertEquals(Errors.NONE.code(), end(3, NAME, producer, true).errorCode());
            assertEquals(Errors.NONE, commitOffset(3, producer, 1, "", -1));
            assertRefused(
                    cutOff, ApiKeys.TXN_OFFSET_COMMIT, 3, commitRequest(3, producer, 0, "", -1));
        }
        assertEquals(Errors.NONE.code(), end(3, NAME, producer, true).errorCode());
        assertEquals(1, committed(true).committedOffset());
    }

    @Test
    void shouldEndATransactionOnAnOlderConnectionWhenItsProducerHasANewEpochThere()
            throws Exception {
        Wire older = wire;
        try (Wire newer = new Wire(running.server())) {
            wire = newer;
            ProducerIdentity producer = open(NAME);
            assertEquals(Errors.NONE, add(3, NAME, producer));
            assertEquals(Errors.NONE, produce(9, NAME, batch(producer, 0)));
            assertEquals(Errors.NONE, commitOffset(3, producer, 0, "", -1));
            assertEquals(Errors.NONE.code(), end(3, NAME, producer, true).errorCode());
            wire = older;
            ProducerIdentity next = open(NAME);
            assertEquals(Errors.NONE, add(3, NAME, next));
            assertEquals(Errors.NONE, produce(9, NAME, batch(next, 0)));
            assertEquals(Errors.NONE, commitOffset(3, next, 1, "", -1));
            assertEquals(Errors.NONE.code(), end(3, NAME, next, true).errorCode());
            // Who comes late with the epoch of before is fenced, and changes nothing.
            wire = newer;
            assertEquals(Errors.PRODUCER_FENCED.code(), end(3, NAME, producer, true).errorCode());
            wire = older;
            assertEquals(Errors.NONE, add(3, NAME, next));
            assertEquals(Errors.NONE, produce(9, NAME, batch(next, 1)));
            assertEquals(Errors.NONE.code(), end(3, NAME, next, true).errorCode());
        }
        assertEquals(1, committed(true).committedOffset());
    }

    @Test
    void shouldListAbortedTransactionsByTheirFirstOffsets() throws Exception {
        ProducerIdentity one = open("one");
        ProducerIdentity two = open("two");
        assertEquals(Errors.NONE, produce(12, "one", batch(one, 0)));
        assertEquals(Errors.NONE, produce(12, "two", batch(two, 0)));
        assertEquals(Errors.NONE.code(), end(5, "two", two, false).errorCode());
        assertEquals(Errors.NONE.code(), end(5, "one", one, false).errorCode());
        wire.send(
                Wire.request(ApiKeys.FETCH, (short) Asks.FETCH, committedFetch(0).setMinBytes(0)));
        PartitionData found =
                Asks.fetched(wire.receive(ApiKeys.FETCH, Asks.FETCH, new FetchResponseData()));
        assertEquals(
                List.of(
                        new AbortedTransaction().setProducerId(one.id()).setFirstOffset(0),
                        new AbortedTransaction().setProducerId(two.id()).setFirstOffset(1)),
                found.abortedTransactions());
        assertEquals(null, Asks.fetched(wire, TOPIC, 0, 0).abortedTransactions());
    }

    @Test
    void shouldWakeAFetchOfCommittedRecordsWhenTheTransactionEnds() throws Exception {
        ProducerIdentity producer = open(NAME);
        assertEquals(Errors.NONE, produce(12, NAME, batch(producer, 0)));
        try (Wire waiting = new Wire(running.server())) {
            waiting.send(Wire.request(ApiKeys.FETCH, (short) Asks.FETCH, committedFetch(600_000)));
            assertTrue(waiting.isSilentFor(200));
            assertEquals(1, Asks.fetched(wire, TOPIC, 0, 0).highWatermark());
            assertEquals(0, Asks.fetched(wire, TOPIC, 0, 0).lastStableOffset());
            assertEquals(Errors.NONE.code(), end(5, NAME, producer, true).errorCode());
            PartitionData found =
                    Asks.fetched(
                            waiting.receive(ApiKeys.FETCH, Asks.FETCH, new FetchResponseData()));
            assertTrue(found.lastStableOffset() >= 1);
            assertNotEquals(0, found.records().sizeInBytes());
        }
    }

    @Test
    void shouldTellNoOffsetThatATransactionIsAboutToMove() throws Exception {
        ProducerIdentity producer = open(NAME);
        assertEquals(Errors.NONE, produce(12, NAME, batch(producer, 0)));
        assertEquals(Errors.NONE, commitOffset(5, producer, 1, "", -1));
        assertEquals(Errors.UNSTABLE_OFFSET_COMMIT.code(), committed(true).errorCode());
        assertEquals(-1, committed(true).committedOffset());
        assertEquals(Errors.NONE.code(), committed(false).errorCode());
        assertEquals(-1, committed(false).committedOffset());
        assertEquals(Errors.NONE.code(), end(5, NAME, producer, true).errorCode());
        assertEquals(Errors.NONE.code(), committed(true).errorCode());
        assertEquals(1, committed(true).committedOffset());
    }

    @Test
    void shouldCommitAnyOffsetInATransactionAsKafkaDoes() throws Exception {
        ProducerIdentity producer = open(NAME);
        long before = -1;
        for (long offset : new long[] {1_000, -2, Long.MAX_VALUE, 0, Long.MIN_VALUE}) {
            assertEquals(Errors.NONE, addOffsets(3, NAME, producer));
            assertEquals(Errors.NONE, commitOffset(3, producer, offset, "", -1));
            assertEquals(before, committed(false).committedOffset());
            running.restart();
            wire.close();
            wire = new Wire(running.server());
            assertEquals(Errors.NONE.code(), end(3, NAME, producer, true).errorCode());
            assertEquals(offset, committed(true).committedOffset());
            before = offset;
        }
    }

    /** What has no batch and no offset yet is written nowhere. */
    @Test
    void shouldAbortNothingOnlyForAProducerOfWhichARestartMayHaveForgottenATransaction()
            throws Exception {
        ProducerIdentity producer = open(NAME);
        assertEquals(Errors.INVALID_TXN_STATE.code(), end(4, NAME, producer, false).errorCode());
        assertEquals(Errors.NONE, addOffsets(3, NAME, producer));
        running.restart();
        wire.close();
        wire = new Wire(running.server());
        assertEquals(Errors.NONE.code(), end(4, NAME, producer, false).errorCode());
        assertEquals(Errors.NONE, addOffsets(3, NAME, producer));
        assertEquals(Errors.NONE.code(), end(4, NAME, producer, true).errorCode());
        assertEquals(Errors.INVALID_TXN_STATE.code(), end(4, NAME, producer, false).errorCode());
    }

    @Test
    void shouldCommitOffsetsOfATopicThatIsGivenByItsId() throws Exception {
        ProducerIdentity producer = open(NAME);
        assertEquals(Errors.NONE, addOffsets(3, NAME, producer));
        assertEquals(Errors.NONE, commitOffset(6, producer, 7, "", -1));
        assertEquals(Errors.NONE.code(), end(3, NAME, producer, true).errorCode());
        assertEquals(7, committed(true).committedOffset());

        assertEquals(Errors.NONE, addOffsets(3, NAME, producer));
        topicId = Uuid.randomUuid();
        assertEquals(Errors.UNKNOWN_TOPIC_ID, commitOffset(6, producer, 8, "", -1));
        topicId = Uuid.ZERO_UUID;
        assertEquals(Errors.UNKNOWN_TOPIC_ID, commitOffset(6, producer, 8, "", -1));
    }

    @Test
    void shouldTellAMemberOfAnUnknownGroupSoInTheWordsOfItsVersion() throws Exception {
        ProducerIdentity producer = open(NAME);
        assertEquals(Errors.NONE, addOffsets(3, NAME, producer));
        assertEquals(Errors.ILLEGAL_GENERATION, commitOffset(5, producer, 0, "gone", 3));
        assertEquals(Errors.GROUP_ID_NOT_FOUND, commitOffset(6, producer, 0, "gone", 3));
    }

    @Test
    void shouldCommitOffsetsOfTheRightMemberOnly() throws Exception {
        ProducerIdentity producer = open(NAME);
        assertEquals(Errors.NONE, addOffsets(3, NAME, producer));
        assertEquals(Errors.ILLEGAL_GENERATION, commitOffset(3, producer, 0, "gone", 3));
        try (var consumer = running.consumer(Map.of("group.id", GROUP))) {
            consumer.subscribe(List.of(TOPIC));
            Running.await(
                    "an assignment",
                    () -> {
                        consumer.poll(java.time.Duration.ofMillis(50));
                        return !consumer.assignment().isEmpty();
                    });
            var member = consumer.groupMetadata();
            assertEquals(
                    Errors.UNKNOWN_MEMBER_ID,
                    commitOffset(3, producer, 0, "gone", member.generationId()));
            assertEquals(
                    Errors.ILLEGAL_GENERATION,
                    commitOffset(3, producer, 0, member.memberId(), member.generationId() + 1));
            assertEquals(
                    Errors.NONE,
                    commitOffset(3, producer, 0, member.memberId(), member.generationId()));
            assertEquals(Errors.NONE, commitOffset(2, producer, 0, "", -1)); // names nobody
        }
    }

    @Test
    void shouldRefuseMoreOfAClientThanItsShareOfTheMemoryOfOpenTransactions() throws Exception {
        int partitions = 1_000; // what is added again counts again
        running.createTopic("many", partitions, Map.of());
        InitProducerIdResponseData opened = init(4, "greedy", 900_000, null);
        ProducerIdentity greedy = new ProducerIdentity(opened.producerId(), opened.producerEpoch());
        AddPartitionsToTxnRequestData request =
                new AddPartitionsToTxnRequestData()
                        .setV3AndBelowTransactionalId("greedy")
                        .setV3AndBelowProducerId(greedy.id())
                        .setV3AndBelowProducerEpoch((short) greedy.epoch());
        request.v3AndBelowTopics()
                .add(
                        new AddPartitionsToTxnTopic()
                                .setName("many")
                                .setPartitions(IntStream.range(0, partitions).boxed().toList()));
        long most = Runtime.getRuntime().maxMemory() / partitions; // far above the limit
        Errors error = Errors.NONE;
        for (int i = 0; i < most && error == Errors.NONE; i++) {
            error = firstOf(ask(request));
        }
        assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, error);
        TxnOffsetCommitRequestData offsets =
                commitRequest(2, greedy, 0, "", -1).setTransactionalId("greedy");
        offsets.topics()
                .set(
                        0,
                        new TxnOffsetCommitRequestTopic()
                                .setName("many")
                                .setPartitions(
                                        IntStream.range(0, partitions)
                                                .mapToObj(
                                                        i ->
                                                                new TxnOffsetCommitRequestPartition()
                                                                        .setPartitionIndex(i))
                                                .toList()));
        assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, commitOffsets(2, offsets));
        try (Wire other = new Wire("127.0.0.2", running.server().port())) {
            Wire own = wire;
            wire = other;
            assertEquals(Errors.NONE, add(3, NAME, open(NAME)));
            wire = own;
        }
        assertEquals(Errors.NONE.code(), end(3, "greedy", greedy, false).errorCode());
        assertEquals(Errors.NONE, firstOf(ask(request)));
    }

    private AddPartitionsToTxnResponseData ask(AddPartitionsToTxnRequestData request)
            throws IOException {
        return wire.ask(
                ApiKeys.ADD_PARTITIONS_TO_TXN, 3, request, new AddPartitionsToTxnResponseData());
    }

    private static Errors firstOf(AddPartitionsToTxnResponseData answer) {
        return Errors.forCode(
                answer.resultsByTopicV3AndBelow()
                        .iterator()
                        .next()
                        .resultsByPartition()
                        .iterator()
                        .next()
                        .partitionErrorCode());
    }

    @Test
    void shouldAddAPartitionOnceThatIsNamedVeryOften() throws Exception {
        ProducerIdentity producer = open(NAME);
        AddPartitionsToTxnRequestData request =
                new AddPartitionsToTxnRequestData()
                        .setV3AndBelowTransactionalId(NAME)
                        .setV3AndBelowProducerId(producer.id())
                        .setV3AndBelowProducerEpoch((short) producer.epoch());
        request.v3AndBelowTopics()
                .add(
                        new AddPartitionsToTxnTopic()
                                .setName(TOPIC)
                                .setPartitions(Collections.nCopies(100_000, 0)));
        AddPartitionsToTxnResponseData answer = ask(request);
        assertEquals(Errors.NONE, firstOf(answer));
        assertEquals(
                1, answer.resultsByTopicV3AndBelow().iterator().next().resultsByPartition().size());
    }

    @Test
    void shouldDescribeWhatIsNamedOftenOnce() throws Exception {
        ProducerIdentity producer = open(NAME);
        assertEquals(Errors.NONE, add(3, NAME, producer));
        assertEquals(Errors.NONE, produce(9, NAME, batch(producer, 0)));
        DescribeTransactionsResponseData transactions =
                wire.ask(
                        ApiKeys.DESCRIBE_TRANSACTIONS,
                        0,
                        new DescribeTransactionsRequestData()
                                .setTransactionalIds(List.of(NAME, NAME)),
                        new DescribeTransactionsResponseData());
        assertEquals(1, transactions.transactionStates().size());
        DescribeProducersRequestData request = new DescribeProducersRequestData();
        for (int i = 0; i < 2; i++) {
            request.topics()
                    .add(new TopicRequest().setName(TOPIC).setPartitionIndexes(List.of(0, 0)));
        }
        DescribeProducersResponseData producers =
                wire.ask(
                        ApiKeys.DESCRIBE_PRODUCERS,
                        0,
                        request,
                        new DescribeProducersResponseData());
        assertEquals(1, producers.topics().size());
        assertEquals(1, producers.topics().get(0).partitions().size());
        assertEquals(1, producers.topics().get(0).partitions().get(0).activeProducers().size());
    }

    @Test
    void shouldAbortATransactionOnlyForAnAdministratorAndOnlyWhenItHangs() throws Exception {
        ProducerIdentity producer = open(NAME);
        assertEquals(Errors.NONE, produce(12, NAME, batch(producer, 0)));
        assertEquals(Errors.INVALID_TXN_STATE, write(producer, false, 0));
        assertEquals(Errors.INVALID_REQUEST, write(producer, true, 0));
        assertEquals(Errors.INVALID_TXN_STATE, write(producer, false, 1));
        assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION, write(producer, false, 2));
        assertEquals(Errors.NONE.code(), end(5, NAME, producer, true).errorCode());
    }

    private Errors write(ProducerIdentity producer, boolean isCommit, int partition)
            throws IOException {
        WriteTxnMarkersRequestData request =
                new WriteTxnMarkersRequestData()
                        .setMarkers(
                                List.of(
                                        new WritableTxnMarker()
                                                .setProducerId(producer.id())
                                                .setProducerEpoch((short) producer.epoch())
                                                .setTransactionResult(isCommit)
                                                .setTopics(
                                                        List.of(
                                                                new WritableTxnMarkerTopic()
                                                                        .setName(TOPIC)
                                                                        .setPartitionIndexes(
                                                                                List.of(
                                                                                        partition))))));
        return Errors.forCode(
                wire.ask(ApiKeys.WRITE_TXN_MARKERS, 1, request, new WriteTxnMarkersResponseData())
                        .markers()
                        .get(0)
                        .topics()
                        .get(0)
                        .partitions()
                        .get(0)
                        .errorCode());
    }

    @Test
    void shouldTellClientsOfTheNewProtocolInVersionsThatHaveFeatures() throws Exception {
        for (int version : List.of(3, 4, 5)) {
            ApiVersionsResponseData answer = versions(version);
            assertEquals(0, answer.finalizedFeaturesEpoch());
            var known = answer.supportedFeatures().find("transaction.version");
            assertEquals(version == 3 ? 1 : 0, known.minVersion());
            assertEquals(2, known.maxVersion());
            assertEquals(
                    2, answer.finalizedFeatures().find("transaction.version").maxVersionLevel());
        }
        assertTrue(versions(2).finalizedFeatures().isEmpty());
    }

    private ApiVersionsResponseData versions(int version) throws IOException {
        return wire.ask(
                ApiKeys.API_VERSIONS,
                version,
                new ApiVersionsRequestData()
                        .setClientSoftwareName("test")
                        .setClientSoftwareVersion("1"),
                new ApiVersionsResponseData());
    }
}
