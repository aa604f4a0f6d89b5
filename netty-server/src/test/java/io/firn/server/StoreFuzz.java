package io.firn.server;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.CleanupPolicy;
import io.firn.Cursor;
import io.firn.DamagedRangeException;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.RetainUntilRead;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.file.FileTier;
import io.firn.fuzz.FileMutations;
import io.firn.fuzz.FileMutations.Kind;
import io.firn.host.HostedCursor;
import io.firn.host.HostedPartition;
import io.firn.host.HostedStore;
import io.firn.host.ReplicaAppender;
import io.firn.inspect.StoreInspection;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import io.firn.server.config.ServerConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * Changes files of a store and of a server's state as somebody may have who prepared the directory,
 * and opens what is left: the store for writing and for reading, the inspection, and the server.
 * Each of them works or is refused with an exception of its own that names the file; nothing hangs
 * or uses up memory, and nothing outside the directory changes. The seed decides everything but the
 * timing.
 */
final class StoreFuzz {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final long HANGS_AFTER_S = 120;
    private static final int MOST_FAILURES = 10;

    /** So many aborted transactions that they get a file of their own. */
    private static final int MANY = 1_100;

    private static final TopicOptions SMALL =
            TopicOptions.defaults()
                    .withSegmentBytes(64 << 10)
                    .withMaxRecordBytes(16 << 10)
                    .withPartitions(2);

    private final Path work;
    private final Path template;
    private final Path victim;
    private final Path round;
    private final Set<Kind> kinds;
    private final Random random;
    private final FileMutations mutations;
    private final ExecutorService opener =
            Executors.newCachedThreadPool(
                    task -> {
                        Thread thread = new Thread(task, "fuzz-open");
                        thread.setDaemon(true);
                        return thread;
                    });
    private final Map<Kind, int[]> counts = new EnumMap<>(Kind.class);
    private final List<String> failures = new ArrayList<>();
    private final Map<String, String> outside;

    /**
     * Makes a store that is to be changed.
     *
     * @param work an empty directory
     * @param aborted how many aborted transactions it has
     */
    StoreFuzz(Path work, Set<Kind> kinds, long seed, int aborted) throws IOException {
        this.work = work;
        this.template = work.resolve("template");
        this.round = work.resolve("round");
        this.victim = work.resolve("victim").resolve("file");
        this.kinds = kinds;
        this.random = new Random(seed);
        Files.createDirectories(victim.getParent());
        Files.writeString(victim, "somebody else's");
        Files.createFile(victim.resolveSibling(".hidden"));
        Path fifo = work.resolve("fifo");
        this.mutations = new FileMutations(random, victim, makeFifo(fifo) ? fifo : null);
        fill(aborted);
        this.outside = outside();
    }

    private static boolean makeFifo(Path fifo) throws IOException {
        try {
            return new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** {@code StoreFuzz DIRECTORY [SECONDS [SEED]]}; exits with 1 after a failure. */
    public static void main(String[] arguments) throws IOException {
        LOG.setLevel(Level.OFF);
        int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 600;
        long seed =
                arguments.length > 2 ? Long.parseLong(arguments[2]) : System.nanoTime() & 0xFFFFFF;
        System.out.println("Seed " + seed);
        Path directory = Files.createTempDirectory(Path.of(arguments[0]), "fuzz");
        StoreFuzz fuzz = new StoreFuzz(directory, Set.of(Kind.values()), seed, MANY);
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        int rounds = 0;
        while (System.nanoTime() < end && fuzz.failures.size() < MOST_FAILURES) {
            fuzz.step();
            rounds++;
        }
        fuzz.counts.forEach((kind, n) -> System.out.printf("%-10s %,8d%n", kind, n[0]));
        System.out.printf("%,d rounds, %d failures%n", rounds, fuzz.failures.size());
        System.exit(fuzz.failures.isEmpty() ? 0 : 1);
    }

    /** Makes changes and opens what is left; returns what went wrong so far. */
    List<String> run(int rounds) throws IOException {
        for (int i = 0; i < rounds; i++) {
            step();
        }
        return failures;
    }

    private void step() throws IOException {
        delete(round);
        copy();
        List<Path> files = filesIn(round);
        List<String> done = new ArrayList<>();
        List<Path> changed = new ArrayList<>();
        for (int i = random.nextInt(4) == 0 ? 2 : 1; i > 0; i--) {
            Kind kind = List.copyOf(kinds).get(random.nextInt(kinds.size()));
            Path file = choose(files, kind);
            if (file == null || changed.contains(file)) {
                continue;
            }
            String what = mutations.apply(kind, file, filesIn(template));
            if (what != null) {
                counts.computeIfAbsent(kind, each -> new int[1])[0]++;
                done.add(kind + " " + round.relativize(file) + " " + what);
                changed.add(file);
            }
        }
        boolean withServer = random.nextInt(4) == 0;
        attempt("store", done, changed, () -> use(open(round, false)));
        attempt("reader", done, changed, () -> use(open(round, true)));
        attempt("inspection", done, changed, this::inspect);
        if (withServer) {
            attempt("server", done, changed, this::serve);
        }
        Map<String, String> now = outside();
        if (!now.equals(outside)) {
            fail("outside the store", done, new AssertionError(outside + " became " + now));
        }
    }

    private Path choose(List<Path> files, Kind kind) throws IOException {
        for (int tries = 0; tries < 50; tries++) {
            Path file = files.get(random.nextInt(files.size()));
            if (kind != Kind.FIELDS || FileMutations.isSmall(file)) {
                return file;
            }
        }
        return null;
    }

    /** What is tried on a changed store. */
    private interface Attempt {
        void run() throws IOException;
    }

    private void attempt(String what, List<String> done, List<Path> changed, Attempt attempt) {
        var running =
                opener.submit(
                        () -> {
                            attempt.run();
                            return null;
                        });
        try {
            running.get(HANGS_AFTER_S, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (!isNamed(e.getCause(), changed)) {
                fail(what, done, e.getCause());
            }
        } catch (TimeoutException e) {
            Thread.getAllStackTraces()
                    .forEach((thread, stack) -> System.out.println(thread + " " + List.of(stack)));
            fail(what + " hangs", done, e);
            System.exit(1); // it would hold the files
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A refusal is an exception of ours that names one of the files, or a directory above it. */
    private boolean isNamed(Throwable refusal, List<Path> changed) {
        if (!(refusal instanceof FirnException
                || refusal instanceof InvalidOptionException
                || refusal instanceof IOException)) {
            return false;
        }
        StringBuilder text = new StringBuilder();
        for (Throwable each = refusal; each != null; each = each.getCause()) {
            text.append(each.getMessage()).append('\n');
        }
        String told = text.toString();
        return changed.stream()
                .anyMatch(
                        file -> told.contains(file.toString()) || told.contains(directoryOf(file)));
    }

    /**
     * Opening a store may rename a segment's file. The files of a topic are one thing for its user,
     * as are a tier or a store and the file with its identity.
     */
    private String directoryOf(Path file) {
        boolean isInOne =
                file.startsWith(round.resolve("store").resolve("topics"))
                        || file.equals(round.resolve("tier").resolve("tier"))
                        || file.equals(round.resolve("store").resolve("store"))
                        || file.toString().endsWith(".active")
                        || file.toString().endsWith(".log");
        return isInOne ? file.getParent().toString() : file.toString();
    }

    private void fail(String what, List<String> done, Throwable why) {
        StringWriter trace = new StringWriter();
        why.printStackTrace(new PrintWriter(trace));
        String told = what + " after " + done + ": " + trace;
        failures.add(told);
        System.out.println(told);
    }

    // ---- the store

    private void fill(int aborted) throws IOException {
        try (LogStore store = open(template, false)) {
            TopicOptions waiting = SMALL.withRetainUntilRead(RetainUntilRead.by("reader"));
            Topic topic = store.createTopic("t", waiting);
            append(topic.partition(0), 60);
            topic.partition(0).deleteRecordsBefore(3);
            Cursor cursor = topic.cursor("reader");
            cursor.commit(0, 12);
            cursor.force();
            try (Transaction transaction = store.beginTransaction()) {
                transaction.append(topic.partition(0), new byte[] {1});
                transaction.commitCursor(cursor, 0, 20);
                transaction.commit();
            }
            for (int i = 0; i < aborted; i++) {
                try (Transaction transaction = store.beginTransaction()) {
                    transaction.append(topic.partition(1), new byte[] {1});
                    transaction.abort();
                }
            }
            HostedCursor.of(topic.cursor("outside")).commitAny(0, 1_000_000);
            topic.cursor("outside").force();
            Topic compacted = store.createTopic("c", SMALL.withCleanup(CleanupPolicy.COMPACT));
            append(compacted.partition(0), 60);
            Topic replica = store.createTopic("r", SMALL.withReplicated(true));
            try (ReplicaAppender appender =
                    HostedPartition.of(replica.partition(0)).openReplicaAppender()) {
                appender.fillTo(100);
                appender.truncate(100);
            }
        }
        try (LogStore store = open(template, false);
                FirnServer server = server(store)) {
            server.port();
        }
        Path state = template.resolve("store").resolve("server");
        write(
                state.resolve("quotas"),
                "client-quotas",
                Map.of("/alice -", "producer_byte_rate 1.5"));
        write(state.resolve("config"), "node-config", Map.of("node.log.retention.ms", "100000"));
        write(
                state.resolve("security").resolve("acls"),
                "acls",
                Map.of("ALLOW READ TOPIC LITERAL t User%3Aalice *", ""));
        Map<String, String> group = new HashMap<>();
        group.putAll(Map.of("id", "g", "generation", "3", "protocolType", "consumer"));
        group.putAll(Map.of("protocol", "range", "leader", "m", "emptySinceMs", "0"));
        group.putAll(Map.of("member.0.id", "m", "member.0.instance", "", "member.0.client", "c"));
        group.putAll(Map.of("member.0.host", "/::1", "member.0.sessionMs", "9000"));
        group.putAll(Map.of("member.0.rebalanceMs", "9000", "member.0.assignment", "AAA="));
        group.putAll(Map.of("member.0.protocol.0.name", "range"));
        group.putAll(Map.of("member.0.protocol.0.metadata", "AAA=", "note.0", "text"));
        write(state.resolve("groups").resolve("group-g"), "group", group);
        try (LogStore store = open(template, false)) {
            String id = store.openTopic("t").id().toString();
            write(
                    state.resolve("topics").resolve(id),
                    "topic-config",
                    Map.of(
                            "retention.ms",
                            "100000",
                            "next.retention.ms",
                            "5",
                            "to.retention.ms",
                            "5"));
        }
    }

    private static void write(Path file, String magic, Map<String, String> values)
            throws IOException {
        Files.createDirectories(file.getParent());
        SmallFile.write(FileMedium.real(), file, magic, 1, new TreeMap<>(values));
    }

    private static LogStore open(Path where, boolean readOnly) {
        var builder = LogStore.at(where.resolve("store")).tier(FileTier.at(where.resolve("tier")));
        return readOnly ? HostedStore.of(builder.openReadOnly()) : builder.open();
    }

    private static FirnServer server(LogStore store) throws IOException {
        Map<String, String> settings =
                Map.of(
                        "listeners",
                        "PLAINTEXT://127.0.0.1:0",
                        "authorizer.class.name",
                        "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                        "super.users",
                        "User:ANONYMOUS");
        return FirnServer.of(store).config(ServerConfig.of(settings)).start();
    }

    private static void append(Partition partition, int count) {
        try (Appender appender = partition.openExclusiveAppender()) {
            Batch batch = appender.newBatch();
            for (int i = 0; i < count; i++) {
                batch.clear();
                batch.key(new byte[] {(byte) (i % 7)}).value(new byte[4_000]).add();
                appender.append(batch);
            }
        }
    }

    /** Uses all of it; what is refused of a topic is an exception of ours, too. */
    private static void use(LogStore opened) {
        try (LogStore store = opened) {
            for (String name : store.topicNames()) {
                Topic topic = store.openTopic(name);
                for (int i = 0; i < topic.options().partitions(); i++) {
                    Partition partition = topic.partition(i);
                    refusable(() -> read(partition));
                }
                for (String cursor : topic.cursorNames()) {
                    refusable(() -> topic.cursor(cursor).offset(0));
                }
                if (!topic.options().isReplicated()) {
                    refusable(() -> append(topic.partition(0), 1));
                }
            }
            store.findings();
        }
    }

    private static void refusable(Runnable use) {
        try {
            use.run();
        } catch (FirnException | InvalidOptionException e) {
            LOG.log(Level.FINE, "refused", e);
        }
    }

    private static void read(Partition partition) {
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.offset() < partition.visibleOffset()) {
                long before = tailer.offset();
                try {
                    tailer.poll(record -> Action.CONTINUE, 1_000);
                } catch (DamagedRangeException e) {
                    tailer.seek(e.toOffset());
                }
                if (tailer.offset() == before) {
                    throw new AssertionError(partition + ": the tailer stays at " + before);
                }
            }
        }
    }

    private void inspect() throws IOException {
        StoreInspection.of(FileMedium.real(), List.of(round), true);
    }

    private void serve() throws IOException {
        try (LogStore store = open(round, false);
                FirnServer server = server(store)) {
            server.port();
        }
    }

    // ---- files

    private void copy() throws IOException {
        try (Stream<Path> all = Files.walk(template)) {
            for (Path each : all.toList()) {
                Path to = round.resolve(template.relativize(each));
                if (Files.isDirectory(each)) {
                    Files.createDirectories(to);
                } else {
                    Files.copy(each, to);
                }
            }
        }
    }

    private static List<Path> filesIn(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static void delete(Path directory) throws IOException {
        if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            try (Stream<Path> all = Files.walk(directory)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    /** What is beside the changed store, which nothing may change. */
    private Map<String, String> outside() throws IOException {
        Map<String, String> found = new TreeMap<>();
        for (Path root : List.of(victim.getParent(), template)) {
            try (Stream<Path> all = Files.walk(root)) {
                for (Path each : all.toList()) {
                    String text = "directory";
                    if (Files.isRegularFile(each)) {
                        FileTime time = Files.getLastModifiedTime(each);
                        text = Files.size(each) + " bytes, " + time;
                    }
                    found.put(work.relativize(each).toString(), text);
                }
            }
        }
        return found;
    }
}
