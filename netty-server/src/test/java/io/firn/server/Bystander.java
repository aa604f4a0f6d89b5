package io.firn.server;

import io.firn.server.TransactionAttacks.Named;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * An honest client beside an attack: it produces and fetches, is a member of a group that commits,
 * and connects again and again. Remembers the worst answer of each kind, and every error.
 */
final class Bystander implements AutoCloseable {
    static final String TOPIC = "bystander";
    private static final String GROUP = "bystander";

    /** Its transactional id. */
    static final String TRANSACTIONS = "bystander";

    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int SESSION_MS = 60_000;

    private final String address;
    private final Dialer dialer;
    private final Map<String, Long> worstNs = new TreeMap<>();
    private final Map<String, Long> waitingSinceNs = new TreeMap<>();
    private final Map<String, String> errors = new TreeMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean ended;
    private long answers;

    /** What it does over and over, on a connection of its own. */
    private interface Deed {
        void run(Wire wire) throws IOException;
    }

    Bystander(String address, Dialer dialer) throws IOException {
        this.address = address;
        this.dialer = dialer;
        try (Wire wire = dialer.signedIn(address)) {
            CreateTopicsRequestData create = new CreateTopicsRequestData().setTimeoutMs(30_000);
            create.topics()
                    .add(
                            new CreatableTopic()
                                    .setName(TOPIC)
                                    .setNumPartitions(1)
                                    .setReplicationFactor((short) 1));
            wire.ask(ApiKeys.CREATE_TOPICS, 7, create, new CreateTopicsResponseData());
            produce(wire);
        }
    }

    /** Begins; {@link #close} ends. */
    void start() {
        loop("produce", this::produce);
        loop("fetch", this::fetch);
        loop("group", new Membership()::takePart);
        loop("transact", new Transacting()::commit);
        loop("administer", Bystander::administer);
        loop("connect", null);
    }

    private void loop(String name, Deed deed) {
        Thread thread = new Thread(() -> repeat(name, deed), "bystander-" + name);
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
    }

    private void repeat(String name, Deed deed) {
        while (!ended) {
            long start = began(name);
            try (Wire wire = dialer.signedIn(address)) {
                if (deed == null) {
                    metadata(wire);
                    answered(name, start);
                    LockSupport.parkNanos(PAUSE_NS);
                }
                while (deed != null && !ended) {
                    start = began(name);
                    deed.run(wire);
                    answered(name, start);
                    LockSupport.parkNanos(PAUSE_NS);
                }
            } catch (IOException | RuntimeException | AssertionError e) {
                if (!ended) {
                    failed(name, start, e);
                    LockSupport.parkNanos(PAUSE_NS);
                }
            }
        }
    }

    private synchronized long began(String name) {
        long now = System.nanoTime();
        waitingSinceNs.put(name, now);
        return now;
    }

    private synchronized void answered(String name, long startNs) {
        answers++;
        waitingSinceNs.remove(name);
        worstNs.merge(name, System.nanoTime() - startNs, Math::max);
    }

    private synchronized void failed(String name, long startNs, Throwable why) {
        waitingSinceNs.remove(name);
        worstNs.merge(name, System.nanoTime() - startNs, Math::max);
        errors.putIfAbsent(name, why.toString());
    }

    // ---- what it does

    private static void expect(int code, String what) {
        if (code != 0) {
            throw new IllegalStateException(what + ": error " + code);
        }
    }

    private void produce(Wire wire) throws IOException {
        expect(
                Asks.produced(wire, TOPIC, 0, Asks.ALL, Asks.batch(new byte[100])).errorCode(),
                "produce");
    }

    private void fetch(Wire wire) throws IOException {
        wire.send(
                Wire.request(
                        ApiKeys.FETCH,
                        (short) Asks.FETCH,
                        Asks.fetch(TOPIC, 0, 0, 1).setMaxWaitMs(100)));
        expect(
                Asks.fetched(wire.receive(ApiKeys.FETCH, Asks.FETCH, new FetchResponseData()))
                        .errorCode(),
                "fetch");
    }

    private void metadata(Wire wire) throws IOException {
        MetadataRequestData request = new MetadataRequestData().setAllowAutoTopicCreation(false);
        request.setTopics(List.of(new MetadataRequestTopic().setName(TOPIC)));
        MetadataResponseData answer =
                wire.ask(ApiKeys.METADATA, 12, request, new MetadataResponseData());
        expect(answer.topics().iterator().next().errorCode(), "metadata");
    }

    /** What an administrator asks for, by threads of its own. */
    private static void administer(Wire wire) throws IOException {
        DescribeConfigsRequestData request = new DescribeConfigsRequestData();
        request.resources()
                .add(
                        new DescribeConfigsResource()
                                .setResourceType((byte) 2)
                                .setResourceName(TOPIC)
                                .setConfigurationKeys(null));
        DescribeConfigsResponseData answer =
                wire.ask(ApiKeys.DESCRIBE_CONFIGS, 4, request, new DescribeConfigsResponseData());
        expect(answer.results().get(0).errorCode(), "administer");
    }

    /** A member of a group, alone in it. */
    private static final class Membership {
        private String id = "";
        private int generation = -1;

        void takePart(Wire wire) throws IOException {
            if (generation < 0) {
                join(wire);
            }
            HeartbeatRequestData beat =
                    new HeartbeatRequestData()
                            .setGroupId(GROUP)
                            .setMemberId(id)
                            .setGenerationId(generation);
            int code =
                    wire.ask(ApiKeys.HEARTBEAT, 4, beat, new HeartbeatResponseData()).errorCode();
            expect(code, "heartbeat");
            commit(wire);
        }

        private void join(Wire wire) throws IOException {
            JoinGroupRequestData join =
                    new JoinGroupRequestData()
                            .setGroupId(GROUP)
                            .setSessionTimeoutMs(SESSION_MS)
                            .setRebalanceTimeoutMs(SESSION_MS)
                            .setProtocolType("consumer")
                            .setMemberId(id);
            join.protocols()
                    .add(new JoinGroupRequestProtocol().setName("range").setMetadata(new byte[8]));
            JoinGroupResponseData joined =
                    wire.ask(ApiKeys.JOIN_GROUP, 3, join, new JoinGroupResponseData());
            expect(joined.errorCode(), "join");
            id = joined.memberId();
            SyncGroupRequestData sync =
                    new SyncGroupRequestData()
                            .setGroupId(GROUP)
                            .setMemberId(id)
                            .setGenerationId(joined.generationId());
            sync.assignments()
                    .add(
                            new SyncGroupRequestAssignment()
                                    .setMemberId(id)
                                    .setAssignment(new byte[8]));
            expect(
                    wire.ask(ApiKeys.SYNC_GROUP, 3, sync, new SyncGroupResponseData()).errorCode(),
                    "sync");
            generation = joined.generationId();
        }

        private void commit(Wire wire) throws IOException {
            OffsetCommitRequestData commit =
                    new OffsetCommitRequestData()
                            .setGroupId(GROUP)
                            .setMemberId(id)
                            .setGenerationIdOrMemberEpoch(generation);
            OffsetCommitRequestTopic topic = new OffsetCommitRequestTopic().setName(TOPIC);
            topic.partitions()
                    .add(
                            new OffsetCommitRequestPartition()
                                    .setPartitionIndex(0)
                                    .setCommittedOffset(1)
                                    .setCommittedMetadata(""));
            commit.topics().add(topic);
            OffsetCommitResponseData answer =
                    wire.ask(ApiKeys.OFFSET_COMMIT, 8, commit, new OffsetCommitResponseData());
            expect(answer.topics().get(0).partitions().get(0).errorCode(), "commit");
        }
    }

    /** A producer of transactions, each of one record, which a reader of committed ones finds. */
    private static final class Transacting {
        private Named producer;
        private int sequence;

        void commit(Wire wire) throws IOException {
            Named now = producer;
            producer = null; // after a failure it begins anew
            if (now == null) {
                now = TransactionAttacks.open(wire, TRANSACTIONS);
                sequence = 0;
                expect(now == null ? -1 : 0, "open");
            }
            wire.send(TransactionAttacks.add(now, TOPIC, 0));
            expect(
                    wire.receive(
                                    ApiKeys.ADD_PARTITIONS_TO_TXN,
                                    3,
                                    new AddPartitionsToTxnResponseData())
                            .resultsByTopicV3AndBelow()
                            .iterator()
                            .next()
                            .resultsByPartition()
                            .iterator()
                            .next()
                            .partitionErrorCode(),
                    "add");
            wire.send(TransactionAttacks.produce(now, sequence, TOPIC, 0));
            PartitionProduceResponse produced = Asks.produced(wire);
            expect(produced.errorCode(), "produce in a transaction");
            wire.send(TransactionAttacks.end(now, true));
            expect(
                    wire.receive(ApiKeys.END_TXN, 3, new EndTxnResponseData()).errorCode(),
                    "commit");
            FetchResponseData fetched =
                    wire.ask(
                            ApiKeys.FETCH,
                            Asks.FETCH,
                            Asks.fetch(TOPIC, 0, produced.baseOffset(), 1)
                                    .setIsolationLevel((byte) 1),
                            new FetchResponseData());
            boolean found = Asks.fetched(fetched).records().sizeInBytes() > 0;
            expect(found ? 0 : -1, "read what was committed");
            sequence++;
            producer = now;
        }
    }

    // ---- what it saw

    /** Forgets what it has seen so far. */
    synchronized void forget() {
        answers = 0;
        worstNs.clear();
        errors.clear();
    }

    /** What is not answered yet counts as if it were answered now. */
    private synchronized void countWaiting() {
        waitingSinceNs.forEach(
                (name, sinceNs) -> worstNs.merge(name, System.nanoTime() - sinceNs, Math::max));
    }

    /** The worst answer so far, in ms. */
    synchronized long worstMs() {
        countWaiting();
        return worstNs.values().stream().mapToLong(ns -> ns / 1_000_000).max().orElse(0);
    }

    /** Whether everything was answered without an error. */
    synchronized boolean isContent() {
        return errors.isEmpty() && answers > 0;
    }

    @Override
    public synchronized String toString() {
        countWaiting();
        StringBuilder text = new StringBuilder().append(answers).append(" answers, worst ms:");
        worstNs.forEach(
                (name, ns) -> text.append(' ').append(name).append(' ').append(ns / 1_000_000));
        if (!errors.isEmpty()) {
            text.append(", ERRORS: ").append(errors);
        }
        return text.toString();
    }

    @Override
    public void close() {
        ended = true;
        for (Thread thread : threads) {
            try {
                thread.join(TimeUnit.SECONDS.toMillis(35));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
