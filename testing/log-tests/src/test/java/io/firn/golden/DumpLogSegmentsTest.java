package io.firn.golden;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.CleanupPolicy;
import io.firn.Compression;
import io.firn.Durability;
import io.firn.StoredRecord;
import io.firn.Topic;
import io.firn.format.BatchFormat;
import io.firn.host.HostedAppender;
import io.firn.host.HostedStore;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import io.firn.sim.FirstRunOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.tools.DumpLogSegments;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's own tool reads sealed segments and finds nothing to complain of. */
@FirstRunOnly
class DumpLogSegmentsTest {
    private static final Pattern BATCH =
            Pattern.compile("baseOffset: (\\d+) .* partitionLeaderEpoch: (\\d+) .*");

    private static final Pattern NOT_CONSECUTIVE =
            Pattern.compile("Non-consecutive offsets in .*?(\\d{20})\\.log");

    /** What libraries and the JVM say of themselves. */
    private static final Pattern NOT_THE_TOOLS = Pattern.compile("(SLF4J|WARNING): .*|");

    @TempDir private Path directory;

    @Test
    void shouldFindNoFaultInSealedSegments() throws Exception {
        int records = 0;
        int segments = 0;
        List<String> arguments = new ArrayList<>();
        try (FileStore files = new FileStore(directory.resolve("store"))) {
            for (Compression codec : Compression.values()) {
                records += write(files, codec);
                List<Path> sealed = files.sealedFiles(files.topic(codec.name()), 0);
                assertTrue(sealed.size() >= 3, "only " + sealed);
                segments += sealed.size();
                sealed.forEach(log -> arguments.addAll(withIndexes(log)));
            }
        }
        ChildJvm.Ended dump = dump(arguments, "--deep-iteration", "--print-data-log");

        assertEquals(List.of(), complaints(dump));
        assertEquals(records, dump.out().stream().filter(line -> line.startsWith("| ")).count());
        assertEquals(
                segments, dump.out().stream().filter(line -> line.startsWith("Log start")).count());
        assertTrue(dump.out().stream().anyMatch(line -> line.matches("offset: .* position: .*")));
        assertTrue(dump.out().stream().anyMatch(line -> line.matches("timestamp: .* offset: .*")));
        assertTrue(dump.out().stream().anyMatch(line -> line.endsWith("payload: the last one")));
        for (Compression codec : Compression.values()) {
            String name = " compresscodec: " + KafkaBatches.compression(codec).type().name + " ";
            assertTrue(dump.out().stream().anyMatch(line -> line.contains(name)), name);
        }
        assertTrue(hasSegmentOfTwoTerms(dump.out()), "no segment was written in two terms");

        assertEquals(List.of(), complaints(dump(arguments, "--verify-index-only")));
        ChildJvm.Ended sane = dump(arguments, "--index-sanity-check");
        assertEquals(List.of(), complaints(sane));
        assertTrue(sane.out().stream().anyMatch(line -> line.endsWith("passed sanity check.")));
    }

    @Test
    void shouldFindNoFaultInSegmentsThatCompactionRewrote() throws Exception {
        List<String> arguments = new ArrayList<>();
        long left;
        try (FileStore files = new FileStore(directory.resolve("store"))) {
            for (Compression codec : Compression.values()) {
                Topic topic =
                        files.store()
                                .createTopic(
                                        codec.name(),
                                        FileStore.options()
                                                .withCompression(codec)
                                                .withCleanup(CleanupPolicy.COMPACT));
                try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                    Random random = new Random(codec.id());
                    for (int i = 0; i < 600; i++) {
                        Batch batch = appender.newBatch();
                        for (int j = 0; j < 5; j++) {
                            byte[] value = new byte[100 + random.nextInt(200)];
                            random.nextBytes(value);
                            int key = random.nextInt(i % 100 < 50 ? 10 : 5_000);
                            batch.add(
                                    ("key-" + key).getBytes(StandardCharsets.UTF_8),
                                    random.nextInt(9) == 0 ? null : value);
                        }
                        appender.append(batch);
                    }
                }
                files.sealAll(topic);
                assertEquals(List.of(), files.store().compact(codec.name(), 0).skipped());
            }
            left = 0;
            for (Compression codec : Compression.values()) {
                List<Path> sealed = files.sealedFiles(files.topic(codec.name()), 0);
                left += sealed.size();
                sealed.forEach(log -> arguments.addAll(withIndexes(log)));
            }
        }
        assertTrue(
                arguments.stream().allMatch(file -> file.matches(".*/[0-9]{20}\\.[1-9]/[^/]+")),
                arguments.toString());
        ChildJvm.Ended dump = dump(arguments, "--print-data-log");
        assertEquals(List.of(), complaints(dump).stream().filter(line -> !isGap(line)).toList());
        assertTrue(dump.out().stream().anyMatch(line -> line.contains(" count: 0 ")), "no filler");
        assertTrue(dump.out().stream().anyMatch(line -> line.contains("deleteHorizonMs: O")));
        assertEquals(List.of(), complaints(dump(arguments, "--verify-index-only")));
        ChildJvm.Ended sane = dump(arguments, "--index-sanity-check");
        assertEquals(List.of(), complaints(sane));
        assertTrue(left > 5);
    }

    /**
     * The tool takes the first record of a segment that does not begin at 0 for one that follows
     * −1. A segment of Kafka's own shows it: so that is no fault of ours.
     */
    @Test
    void shouldOnlyForgiveWhatTheToolSaysOfKafkasOwnSegments() throws Exception {
        Path log = directory.resolve("00000000000000000285.log");
        ByteBuffer batch = KafkaBatches.of(Compression.NONE).encode(null, new byte[9]);
        batch.putLong(BatchFormat.BASE_OFFSET, 285);
        byte[] bytes = new byte[batch.remaining()];
        batch.get(0, bytes);
        Files.write(log, bytes);
        ChildJvm.Ended dump = dump(List.of(log.toString()), "--deep-iteration");

        assertTrue(dump.err().contains("  -1 is followed by 285"), dump.err().toString());
        assertEquals(List.of(), complaints(dump));
    }

    /** Otherwise the tests above would prove nothing. */
    @Test
    void shouldFindFaultInDamagedCopies() throws Exception {
        Path log;
        try (FileStore files = new FileStore(directory.resolve("store"))) {
            write(files, Compression.NONE);
            log = files.sealedFiles(files.topic(Compression.NONE.name()), 0).get(1);
        }
        Path copy = Files.createDirectory(directory.resolve("copy")).resolve(log.getFileName());
        String[] extensions = {".log", ".log", ".log", ".index", ".index", ".timeindex"};
        // A record, a base offset, bytes after the end, an offset, a position, a time.
        int[] positions = {200, 7, -1, 3, 7, 7};
        for (int i = 0; i < extensions.length; i++) {
            for (String file : withIndexes(log)) {
                Path from = Path.of(file);
                Files.write(copy.resolveSibling(from.getFileName()), Files.readAllBytes(from));
            }
            Path damaged = sibling(copy, extensions[i]);
            byte[] bytes = Files.readAllBytes(damaged);
            if (positions[i] < 0) {
                bytes = ByteBuffer.allocate(bytes.length + 20).put(bytes).array();
            } else {
                bytes[positions[i]] ^= 1;
            }
            Files.write(damaged, bytes);

            List<String> found = complaints(dump(withIndexes(copy), "--deep-iteration"));
            assertFalse(found.isEmpty(), extensions[i] + " at " + positions[i]);
        }
    }

    /** Embedded and foreign batches of all kinds; returns how many records. */
    private static int write(FileStore files, Compression codec) throws IOException {
        String name = codec.name();
        RandomRecords random = new RandomRecords(codec.id());
        files.store()
                .createTopic(
                        name,
                        FileStore.options()
                                .withDurability(Durability.WRITTEN)
                                .withCompression(codec));
        for (int life = 0; life < 3; life++) {
            Topic topic = files.topic(name);
            try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                long producerId = HostedStore.of(files.store()).newProducerId();
                Batch batch = appender.newBatch();
                for (int i = 0; i < 20; i++) {
                    files.pass(Duration.ofSeconds(10));
                    appender.append(random.bytes(1_000 + 100 * i));
                    batch.clear().producer(producerId, 0, 2 * i);
                    batch.key(random.bytes(20)).header("h", random.bytes(9)).add();
                    appender.append(batch.add(random.bytes(10), random.bytes(700)));
                    Compression foreign = Compression.values()[i % 5];
                    List<StoredRecord> records = random.next(0, 0, 1 + i, 200);
                    HostedAppender.of(appender)
                            .appendBatch(KafkaBatches.of(foreign).encode(records));
                    HostedAppender.of(appender)
                            .appendBatch(
                                    KafkaBatches.of(foreign)
                                            .appendTime(files.nowMs())
                                            .encode(records));
                }
                appender.append("the last one".getBytes(StandardCharsets.UTF_8));
            }
            files.reopen();
        }
        files.sealAll(files.topic(name));
        return (int) files.topic(name).partition(0).nextOffset();
    }

    /** The tool needs the clients of its version, which come before those that the tests have. */
    private static String toolsClassPath() {
        Path clients = Path.of("target", "clients-of-tools").toAbsolutePath();
        assertTrue(Files.isDirectory(clients), clients + " is made by the build");
        return String.join(
                System.getProperty("path.separator"),
                clients.resolve("*").toString(),
                System.getProperty("java.class.path"));
    }

    private ChildJvm.Ended dump(List<String> files, String... options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.addAll(List.of("--files", String.join(",", files)));
        return ChildJvm.run(directory, toolsClassPath(), DumpLogSegments.class, arguments);
    }

    /** Everything in which a dump differs from that of a good log. */
    private static List<String> complaints(ChildJvm.Ended dump) {
        List<String> complaints = new ArrayList<>();
        if (dump.status() != 0) {
            complaints.add("exit status " + dump.status());
        }
        String file = null;
        for (String line : dump.err()) {
            if (NOT_CONSECUTIVE.matcher(line).matches()) {
                file = line;
            } else if (file != null && line.equals(firstOf(file))) {
                file = null;
            } else if (!NOT_THE_TOOLS.matcher(line).matches()) {
                complaints.add(line);
            }
        }
        for (String line : dump.out()) {
            boolean batch = line.startsWith("baseOffset: ");
            if ((batch && !line.endsWith(" isvalid: true")) || line.contains(" invalid bytes ")) {
                complaints.add(line);
            }
        }
        return complaints;
    }

    /** What the tool says of every segment but a log's first, whoever wrote it. */
    private static String firstOf(String complaintOfFile) {
        Matcher file = NOT_CONSECUTIVE.matcher(complaintOfFile);
        return file.matches() ? "  -1 is followed by " + Long.parseLong(file.group(1)) : "";
    }

    /** Offsets are missing where records were removed. */
    private static boolean isGap(String line) {
        return line.startsWith("Non-consecutive offsets in ")
                || line.matches(" {2}-?[0-9]+ is followed by [0-9]+");
    }

    private static boolean hasSegmentOfTwoTerms(List<String> dump) {
        Set<String> epochs = new HashSet<>();
        for (String line : dump) {
            Matcher batch = BATCH.matcher(line);
            if (line.startsWith("Dumping ")) {
                epochs.clear();
            } else if (batch.matches() && epochs.add(batch.group(2)) && epochs.size() == 2) {
                return true;
            }
        }
        return false;
    }

    private static List<String> withIndexes(Path log) {
        return List.of(
                log.toString(),
                sibling(log, ".index").toString(),
                sibling(log, ".timeindex").toString());
    }

    private static Path sibling(Path log, String extension) {
        return log.resolveSibling(log.getFileName().toString().replace(".log", extension));
    }
}
