package io.firn.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * Throws mutated requests of every API and version at a server, on many connections, and has a real
 * producer use it meanwhile. A seed decides everything but the timing.
 */
final class Fuzz {
    private static final String TOPIC = "fuzzed";
    private static final int BURST = 20;

    private final Running running;
    private final Random random;
    private final List<byte[]> seeds = new ArrayList<>();

    Fuzz(Running running, long seed) throws Exception {
        this.running = running;
        this.random = new Random(seed);
        running.createTopic(TOPIC, 2, Map.of());
        makeSeeds();
    }

    /** {@code Fuzz REQUESTS SEED}. */
    public static void main(String[] arguments) throws Exception {
        long requests = Long.parseLong(arguments[0]);
        long seed = Long.parseLong(arguments[1]);
        Path directory = Files.createTempDirectory("firn-fuzz");
        System.out.println("seed " + seed + ", store in " + directory);
        try (Running running = new Running(directory, settings())) {
            Fuzz fuzz = new Fuzz(running, seed);
            long start = System.nanoTime();
            long step = Math.max(1, requests / 10);
            for (long done = 0; done < requests; done += step) {
                fuzz.run(step);
                Runtime runtime = Runtime.getRuntime();
                System.out.printf(
                        "%,d requests, %d s, heap %d MB%n",
                        done + step,
                        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start),
                        (runtime.totalMemory() - runtime.freeMemory()) >> 20);
            }
        }
        System.out.println("It still served a producer after each tenth.");
    }

    static Map<String, String> settings() {
        return Map.of(
                "auto.create.topics.enable", "false",
                "socket.request.max.bytes", "1000000",
                "queued.max.request.bytes", "10000000");
    }

    private void makeSeeds() {
        for (ApiKeys key : ApiKeys.values()) {
            for (short v = key.oldestVersion(); v >= 0 && v <= key.latestVersion(); v++) {
                try {
                    seeds.add(Wire.request(key, v, key.messageType.newRequest()));
                    ApiMessage filled = filled(key, v);
                    if (filled != null) {
                        seeds.add(Wire.request(key, v, filled));
                    }
                } catch (RuntimeException e) {
                    continue; // a message that needs some field to be set
                }
            }
        }
    }

    private static ApiMessage filled(ApiKeys key, short version) {
        return switch (key) {
            case PRODUCE -> produce();
            case FETCH ->
                    new FetchRequestData()
                            .setMaxWaitMs(1)
                            .setTopics(
                                    List.of(
                                            new FetchRequestData.FetchTopic()
                                                    .setTopic(TOPIC)
                                                    .setPartitions(
                                                            List.of(
                                                                    new FetchRequestData
                                                                                    .FetchPartition()
                                                                            .setPartitionMaxBytes(
                                                                                    9999)))));
            case METADATA ->
                    new MetadataRequestData()
                            .setTopics(
                                    List.of(
                                            new MetadataRequestData.MetadataRequestTopic()
                                                    .setName(TOPIC)));
            case LIST_OFFSETS ->
                    new ListOffsetsRequestData()
                            .setTopics(
                                    List.of(
                                            new ListOffsetsRequestData.ListOffsetsTopic()
                                                    .setName(TOPIC)
                                                    .setPartitions(
                                                            List.of(
                                                                    new ListOffsetsRequestData
                                                                                    .ListOffsetsPartition()
                                                                            .setTimestamp(1)))));
            case OFFSET_COMMIT ->
                    new OffsetCommitRequestData()
                            .setGroupId("g")
                            .setTopics(
                                    List.of(
                                            new OffsetCommitRequestData.OffsetCommitRequestTopic()
                                                    .setName(TOPIC)
                                                    .setPartitions(
                                                            List.of(
                                                                    new OffsetCommitRequestData
                                                                            .OffsetCommitRequestPartition()))));
            case JOIN_GROUP -> {
                JoinGroupRequestData join =
                        new JoinGroupRequestData()
                                .setGroupId("g")
                                .setProtocolType("consumer")
                                .setSessionTimeoutMs(1000)
                                .setRebalanceTimeoutMs(10);
                join.protocols()
                        .add(
                                new JoinGroupRequestData.JoinGroupRequestProtocol()
                                        .setName("range")
                                        .setMetadata(new byte[] {0, 1, 0, 0, 0, 0}));
                yield join;
            }
            case API_VERSIONS ->
                    version < 3
                            ? null
                            : new ApiVersionsRequestData()
                                    .setClientSoftwareName("a")
                                    .setClientSoftwareVersion("b");
            default -> null;
        };
    }

    private static ProduceRequestData produce() {
        MemoryRecords records =
                MemoryRecords.withRecords(
                        Compression.NONE,
                        new SimpleRecord(new byte[20]),
                        new SimpleRecord(new byte[30]));
        ProduceRequestData request = new ProduceRequestData().setAcks((short) 1).setTimeoutMs(9);
        request.topicData()
                .add(
                        new ProduceRequestData.TopicProduceData()
                                .setName(TOPIC)
                                .setPartitionData(
                                        List.of(
                                                new ProduceRequestData.PartitionProduceData()
                                                        .setRecords(records))));
        return request;
    }

    /** Sends so many requests; fails when a producer is not served at the end. */
    void run(long requests) throws Exception {
        long sent = 0;
        while (sent < requests) {
            try (Wire wire = new Wire(running.server())) {
                for (int i = 0; i < BURST && sent < requests; i++) {
                    wire.sendRaw(mutated());
                    sent++;
                }
            } catch (IOException e) {
                sent++; // closed: as it should be
            }
        }
        try (KafkaProducer<String, String> producer = running.producer(Map.of())) {
            producer.send(new ProducerRecord<>(TOPIC, 1, "k", "alive"))
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    private byte[] mutated() {
        byte[] request = seeds.get(random.nextInt(seeds.size())).clone();
        for (int n = random.nextInt(5); n > 0; n--) {
            request = mutate(request);
        }
        byte[] framed = Wire.framed(request);
        if (random.nextInt(50) == 0) {
            ByteBuffer.wrap(framed).putInt(0, random.nextInt());
        }
        return framed;
    }

    private byte[] mutate(byte[] bytes) {
        if (bytes.length < 12) {
            return bytes;
        }
        // Rarely its API and version: most of the fun is in the body.
        int from = random.nextInt(20) == 0 ? 0 : 8;
        int at = from + random.nextInt(bytes.length - from);
        switch (random.nextInt(6)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes[at] = (byte) random.nextInt();
            case 2 -> bytes[at] = (byte) (random.nextBoolean() ? 0x7f : 0xff);
            case 3 -> {
                int[] odd = {-1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0, 1, 1 << 20};
                if (at + 4 <= bytes.length) {
                    ByteBuffer.wrap(bytes).putInt(at, odd[random.nextInt(odd.length)]);
                }
            }
            case 4 -> {
                return Arrays.copyOf(bytes, at);
            }
            default -> {
                byte[] longer = Arrays.copyOf(bytes, bytes.length + random.nextInt(64));
                for (int i = bytes.length; i < longer.length; i++) {
                    longer[i] = (byte) random.nextInt();
                }
                return longer;
            }
        }
        return bytes;
    }
}
