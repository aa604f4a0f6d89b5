package io.firn.server;

import io.firn.LogStore;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.server.config.ServerConfig;
import io.firn.server.group.GroupFiles;
import io.firn.server.group.GroupHandlers;
import io.firn.server.log.AdvertisedListeners;
import io.firn.server.log.DynamicConfig;
import io.firn.server.log.ErrorMapper;
import io.firn.server.log.FreeSpace;
import io.firn.server.log.ServedTopics;
import io.firn.server.quota.ClientQuotas;
import io.firn.server.quota.QuotaUsage;
import io.firn.server.quota.QuotaWindows;
import io.firn.server.security.AuditLog;
import io.firn.server.security.ScramUsers;
import io.firn.server.tx.TransactionHandlers;
import io.firn.server.wire.OneConnection;
import io.firn.server.wire.ServerContext;
import io.firn.server.wire.ServerLimits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Readable;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.utils.internals.Crc32C;

/**
 * What {@code bin/check fuzz --jazzer} runs, guided by the code that an input reaches: a whole
 * server of every API and version, from the frame decoder to the log and back, on one thread and
 * without sockets.
 *
 * <p>An input is a byte of flags and requests with two bytes of length before each. They come on
 * one connection, which is cut in the end. Whatever they are: nothing is thrown, nothing unexpected
 * is logged, every answer reads as its request's version says, in order; memory is bounded by what
 * was sent, and all of it comes back.
 */
public final class JazzerTarget {
    private static final int RAW = 1;
    private static final int MENDED = 2;
    private static final int IN_PIECES = 4;
    private static final int INPUTS_PER_STORE = 20_000;
    private static final long MOST_ALLOCATED = 64 << 20;
    private static final int MOST_PARTITIONS = 1_000;
    private static final long ALLOCATED_FOR_A_PARTITION = 16 << 10;
    private static final int NEWEST = 20;
    private static final int BATCH_HEADER = 61;
    private static final Set<ApiKeys> MENDABLE =
            EnumSet.of(ApiKeys.PRODUCE, ApiKeys.FETCH, ApiKeys.OFFSET_COMMIT);
    private static final List<String> NAMES = List.of("fuzzed", "other", "g", "range", "1", "m");

    private static JazzerTarget current;
    private static long inputs;

    private final Path directory;
    private final LogStore store;
    private final ServedTopics topics;
    private final ServerContext context;
    private final Handler listener = new Listener();
    private RuntimeException unexpected;

    private JazzerTarget() throws IOException {
        directory = Files.createTempDirectory("firn-jazzer");
        store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("tier")))
                        .invokerMode()
                        .open();
        ServerConfig config =
                ServerConfig.of(
                        Map.of(
                                "auto.create.topics.enable", "false",
                                "log.segment.bytes", "65536",
                                "socket.request.max.bytes", "1000000"));
        FileMedium medium = FileMedium.real();
        Path own = directory.resolve("server");
        AdvertisedListeners.Node node =
                new AdvertisedListeners.Node(1, "localhost", 9092, "jazzer");
        Executor atOnce = Runnable::run;
        topics = new ServedTopics(store, DynamicConfig.open(medium, own, config), medium, own);
        AdvertisedListeners nodes = new AdvertisedListeners(node);
        Path secrets = own.resolve("security");
        GroupHandlers groups =
                new GroupHandlers(
                        topics,
                        nodes,
                        config,
                        new GroupFiles(medium, own.resolve("groups")),
                        noTimers());
        QuotaUsage usage = new QuotaUsage(ClientQuotas.open(medium, secrets), QuotaWindows.DEFAULT);
        ApiRegistration apis =
                new ApiRegistration(
                                topics,
                                nodes,
                                new AuditLog(),
                                new ApiRegistration.Executors(
                                        atOnce, atOnce, atOnce, atOnce, atOnce, atOnce))
                        .serveLog(usage, FreeSpace.ALL)
                        .serveAdmin(ScramUsers.open(medium, secrets), null, usage)
                        .serveGroups(groups)
                        .serveTransactions(new TransactionHandlers(topics, groups, config));
        ServerLimits limits = new ServerLimits(1_000_000, 8, 100_000_000, 10, 10, 1_000, 1_000);
        context = new ServerContext(apis.table(), limits, new ErrorMapper());
        topics.create(NAMES.get(0), 2, Map.of());
        Logger.getLogger("io.firn").addHandler(listener);
        Logger.getLogger("io.firn").setUseParentHandlers(false);
    }

    /** Inputs run alone: sessions do not end. */
    private static ScheduledExecutorService noTimers() {
        ScheduledExecutorService none = Executors.newSingleThreadScheduledExecutor();
        none.shutdownNow();
        return none;
    }

    /** Has most classes loaded before Jazzer looks at the time. */
    public static void fuzzerInitialize() throws IOException {
        current = new JazzerTarget();
    }

    /** Jazzer's entry. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        if (++inputs % INPUTS_PER_STORE == 0 || current.isCrowded()) {
            current.close(); // what earlier inputs created does not pile up
            current = new JazzerTarget();
        }
        current.run(input);
    }

    /** {@code JazzerTarget DIRECTORY COUNT SEED}: inputs to begin with. */
    public static void main(String[] arguments) throws IOException {
        Path corpus = Files.createDirectories(Path.of(arguments[0]));
        List<byte[]> seeds = seeds(Integer.parseInt(arguments[1]), Long.parseLong(arguments[2]));
        for (int i = 0; i < seeds.size(); i++) {
            Files.write(corpus.resolve("seed-" + i), seeds.get(i));
        }
        System.out.println(seeds.size() + " inputs to begin with");
    }

    /** For every API and version some requests, and some connections that mix them. */
    static List<byte[]> seeds(int each, long seed) throws IOException {
        Random random = new Random(seed);
        RandomMessages messages = new RandomMessages(random, NAMES);
        List<byte[]> seeds = new ArrayList<>();
        List<byte[]> requests = new ArrayList<>();
        JazzerTarget target = new JazzerTarget();
        try {
            for (ApiVersion served : target.served()) {
                ApiKeys key = ApiKeys.forId(served.apiKey());
                int oldest = Math.max(served.minVersion(), key.oldestVersion());
                for (int version = oldest; version <= served.maxVersion(); version++) {
                    for (int i = 0; i < each; i++) {
                        byte[] request = messages.request(key, (short) version);
                        requests.add(request);
                        seeds.add(input(MENDED, request));
                    }
                }
            }
        } finally {
            target.close();
        }
        for (String topic : List.of(NAMES.get(0), NAMES.get(1))) {
            for (int version = 0; version < NEWEST; version++) {
                byte[][] talk = new RealRequests(topic).talk(version);
                requests.addAll(List.of(talk));
                seeds.add(input(MENDED, talk));
                seeds.add(input(MENDED | IN_PIECES, talk));
            }
        }
        for (int i = 0; i < seeds.size() / 4; i++) {
            byte[][] several = new byte[2 + random.nextInt(4)][];
            for (int n = 0; n < several.length; n++) {
                several[n] = requests.get(random.nextInt(requests.size()));
            }
            requests.add(several[0]);
            seeds.add(input(random.nextInt(8) & ~RAW, several));
        }
        return seeds;
    }

    private Iterable<ApiVersion> served() {
        return OneConnection.served(context);
    }

    private static byte[] input(int flags, byte[]... requests) {
        ByteArrayOutputStream input = new ByteArrayOutputStream();
        input.write(flags);
        for (byte[] request : requests) {
            input.write(request.length >> 8);
            input.write(request.length);
            input.writeBytes(request);
        }
        return input.toByteArray();
    }

    // ---- one input

    private void run(byte[] input) {
        if (input.length > 0 && allocatedBy(input) > MOST_ALLOCATED) {
            long again = allocatedBy(input); // without the classes that it was the first to load
            if (again > MOST_ALLOCATED + partitions() * ALLOCATED_FOR_A_PARTITION) {
                throw new IllegalStateException(
                        input.length + " bytes made the server allocate " + again);
            }
        }
    }

    /** What earlier inputs created; it is listed to who asks. */
    private long partitions() {
        return store.topicNames().stream()
                .mapToInt(name -> store.openTopic(name).partitionCount())
                .sum();
    }

    /** Whether looking after what was created takes longer than what is to be looked at. */
    private boolean isCrowded() {
        return partitions() > MOST_PARTITIONS;
    }

    private long allocatedBy(byte[] input) {
        long before = allocatedBytes();
        talk(input);
        return allocatedBytes() - before;
    }

    private void talk(byte[] input) {
        int flags = input[0];
        if (topics.find(NAMES.get(0)) == null) {
            topics.create(NAMES.get(0), 2, Map.of()); // an earlier input deleted it
        }
        OneConnection connection = new OneConnection(context);
        List<byte[]> requests =
                (flags & RAW) == 0
                        ? requests(ByteBuffer.wrap(input, 1, input.length - 1))
                        : new ArrayList<>();
        if ((flags & RAW) != 0) {
            send(connection, flags, Arrays.copyOfRange(input, 1, input.length));
        }
        for (int i = 0; i < requests.size(); i++) {
            byte[] request = requests.get(i);
            if ((flags & MENDED) != 0) {
                request = mend(request);
            }
            if (request.length >= 8) {
                ByteBuffer.wrap(request).putInt(4, i); // by which its answer is found
            }
            requests.set(i, request);
            send(connection, flags, Wire.framed(request));
        }
        for (int i = 0, work = 1; i < 50 && work > 0; i++) {
            work = store.doWork() + (i < 3 ? 1 : 0);
            connection.runOn(1);
        }
        if (!requests.isEmpty()) {
            checkAnswers(requests, connection.answers(), connection.isOpen());
        }
        connection.cut();
        for (int i = 0; i < 3 && !isClean(connection); i++) {
            store.doWork(); // what a producer has sent counts, and is kept until it is in the log
            connection.runOn(1);
        }
        if (!isClean(connection)) {
            throw new IllegalStateException(
                    context.heldBytes()
                            + " bytes are held and "
                            + connection.usedBytes()
                            + " not released when the connection is gone");
        }
        if (unexpected != null) {
            throw unexpected;
        }
    }

    private boolean isClean(OneConnection connection) {
        return context.heldBytes() == 0 && connection.usedBytes() == 0;
    }

    private static long allocatedBytes() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
                .getCurrentThreadAllocatedBytes();
    }

    private static void send(OneConnection connection, int flags, byte[] bytes) {
        int step = (flags & IN_PIECES) == 0 ? bytes.length : 1 + bytes.length / 3;
        for (int at = 0; at < bytes.length && connection.isOpen(); at += step) {
            connection.send(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + step)));
        }
    }

    private static List<byte[]> requests(ByteBuffer input) {
        List<byte[]> requests = new ArrayList<>();
        while (input.remaining() > 2) {
            byte[] request =
                    new byte[Math.min(Short.toUnsignedInt(input.getShort()), input.remaining())];
            input.get(request);
            requests.add(request);
        }
        return requests;
    }

    /**
     * Makes what is asked for more likely to be there: the id of a topic, when it is none, becomes
     * that of a real one, and the batches of a produce request are whole, so that more than their
     * CRC is looked at.
     */
    private byte[] mend(byte[] request) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(request);
            ApiKeys key = ApiKeys.forId(bytes.getShort(0));
            short version = bytes.getShort(2);
            if (!MENDABLE.contains(key) || !key.isVersionSupported(version)) {
                return request;
            }
            ByteBufferAccessor in = new ByteBufferAccessor(bytes);
            new RequestHeaderData().read(in, key.requestHeaderVersion(version));
            ApiMessage body = key.messageType.newRequest();
            body.read(in, version);
            mend(body, topics.find(NAMES.get(0)).id());
            return Wire.request(key, version, body);
        } catch (RuntimeException e) {
            return request; // it cannot be read: all the better
        }
    }

    private static void mend(ApiMessage message, Uuid id) {
        if (message instanceof ProduceRequestData produce) {
            for (TopicProduceData topic : List.copyOf(produce.topicData())) {
                topic.setTopicId(orElse(topic.topicId(), id));
                for (var partition : topic.partitionData()) {
                    if (partition.records() instanceof MemoryRecords records) {
                        mend(records.buffer());
                    }
                }
            }
        } else if (message instanceof FetchRequestData fetch) {
            fetch.topics().forEach(each -> each.setTopicId(orElse(each.topicId(), id)));
        } else if (message instanceof OffsetCommitRequestData commit) {
            commit.topics().forEach(each -> each.setTopicId(orElse(each.topicId(), id)));
        } else if (message instanceof TxnOffsetCommitRequestData commit) {
            commit.topics().forEach(each -> each.setTopicId(orElse(each.topicId(), id)));
        }
    }

    private static Uuid orElse(Uuid asked, Uuid real) {
        return asked.equals(Uuid.ZERO_UUID) ? real : asked;
    }

    private static void mend(ByteBuffer batch) {
        int at = batch.position();
        if (batch.remaining() >= BATCH_HEADER) {
            batch.putInt(at + 8, batch.remaining() - 12).put(at + 16, (byte) 2);
            batch.putInt(at + 17, (int) Crc32C.compute(batch, 21, batch.remaining() - 21));
        }
    }

    /**
     * They follow the requests, though not all need be there: the connection may have ended, also
     * in the middle of one.
     */
    private static void checkAnswers(List<byte[]> requests, byte[] bytes, boolean isOpen) {
        ByteBuffer answers = ByteBuffer.wrap(bytes);
        ArrayDeque<byte[]> asked = new ArrayDeque<>(requests);
        while (answers.hasRemaining()) {
            if (!isOpen && isCut(answers)) {
                return;
            }
            ByteBuffer answer = answers.slice(answers.position() + 4, answers.getInt());
            answers.position(answers.position() + answer.remaining());
            ByteBuffer request = ByteBuffer.wrap(asked.remove());
            while (request.getInt(4) != answer.getInt(0)) {
                request = ByteBuffer.wrap(asked.remove()); // that one wanted no answer
            }
            ApiKeys key = ApiKeys.forId(request.getShort(0));
            short version = request.getShort(2);
            if (!key.isVersionSupported(version)) {
                version = 0; // of ApiVersions
            }
            Readable in = new ByteBufferAccessor(answer);
            new ResponseHeaderData().read(in, key.responseHeaderVersion(version));
            ApiMessage response = key.messageType.newResponse();
            response.read(in, version);
            if (in.remaining() > 0) {
                throw new IllegalStateException(
                        in.remaining() + " bytes follow the answer to " + key + " v" + version);
            }
        }
    }

    private static boolean isCut(ByteBuffer answers) {
        int left = answers.remaining() - 4;
        return left < 0 || left < answers.getInt(answers.position());
    }

    private void close() throws IOException {
        Logger.getLogger("io.firn").removeHandler(listener);
        topics.close();
        store.close();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /** What the library calls an error is none that a request should be able to cause. */
    private final class Listener extends Handler {
        @Override
        public void publish(LogRecord record) {
            if (record.getLevel().intValue() >= Level.SEVERE.intValue() && !isLyingBatch(record)) {
                unexpected = new IllegalStateException(record.getMessage(), record.getThrown());
            }
        }

        /** What a client has compressed is opened by who reads it, not before it is stored. */
        private boolean isLyingBatch(LogRecord record) {
            return record.getMessage().endsWith("damaged: {1}")
                    && !record.getParameters()[1].toString().contains("CRC");
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
