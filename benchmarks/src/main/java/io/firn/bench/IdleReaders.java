package io.firn.bench;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.host.HostedStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures the processor time of tailers that wait while nothing is appended, in the process of the
 * writer and in another one that has the store open read-only. Each process is another JVM, and its
 * time is taken from the ticks that the system counts.
 */
@Command(
        name = "bin/bench idle-readers",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Measures the processor time of tailers that wait while nothing is appended, in the"
                        + " writer's process and in another one.")
public final class IdleReaders implements Callable<Integer> {
    private static final int RECORDS = 5;
    private static final int RECORD_BYTES = 100;
    private static final double TICKS_PER_SECOND = 100;
    private static final String TOPIC = "idle";

    @Option(
            names = "--partitions",
            split = ",",
            description = "Numbers of partitions. Default: ${DEFAULT-VALUE}")
    private int[] partitions = {1, 64, 1_000};

    /** Whose tailers wait: the writer's, or those of a process that only reads. */
    enum Place {
        READER,
        WRITER
    }

    @Option(
            names = "--tailers-in",
            split = ",",
            description = "READER, WRITER or both. Default: ${DEFAULT-VALUE}")
    private List<Place> places = List.of(Place.READER, Place.WRITER);

    @Option(
            names = "--settle",
            description = "Seconds of rest before the measurement. Default: ${DEFAULT-VALUE}")
    private int settleS = 6;

    @Option(
            names = "--seconds",
            description = "Seconds of the measurement. Default: ${DEFAULT-VALUE}")
    private int seconds = 20;

    @Option(names = "--dir", paramLabel = "DIR", description = "Work directory. Default: target/")
    private Path disk = Path.of("target");

    @Option(names = "--child", hidden = true, description = "Is a process that is measured.")
    private Place child;

    @Option(
            names = "--each",
            hidden = true,
            description = "A tailer and thread for each partition.")
    private boolean isForEach;

    private final PrintStream out = System.out;

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new IdleReaders()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        if (child != null) {
            beChild();
            return 0;
        }
        out.printf(
                "%s; directory %s; WRITTEN, %d records of %d B in each"
                        + " partition; ticks over %d s after %d s of rest%n%n",
                Machine.now(), disk, RECORDS, RECORD_BYTES, seconds, settleS);
        out.println(
                "| tailers in the process of the | partitions | tailers and threads | it, % of a"
                        + " core | writer, % of a core | the next records seen after ms, first and"
                        + " last |");
        out.println("|---|---|---|---|---|---|");
        for (Place place : places) {
            for (int count : partitions) {
                measure(place, count, false);
                if (count > 1) {
                    measure(place, count, true);
                }
            }
        }
        return 0;
    }

    private void measure(Place place, int count, boolean forEach) throws Exception {
        Path directory = Places.make(disk);
        try (Other writer = new Other(directory, count, Place.WRITER, forEach, place);
                Other reader =
                        place == Place.READER
                                ? new Other(directory, count, Place.READER, forEach, place)
                                : null) {
            Other measured = reader == null ? writer : reader;
            measured.ask("wait");
            Thread.sleep(settleS * 1_000L);
            long before = measured.ticks();
            long writersBefore = writer.ticks();
            long start = System.nanoTime();
            Thread.sleep(seconds * 1_000L);
            double elapsedS = (System.nanoTime() - start) / 1e9;
            double percent = (measured.ticks() - before) * 100 / TICKS_PER_SECOND / elapsedS;
            double writers = (writer.ticks() - writersBefore) * 100 / TICKS_PER_SECOND / elapsedS;
            long appended = Long.parseLong(writer.ask("append"));
            String[] seen = measured.ask("seen").split(" ");
            out.printf(
                    Locale.ROOT,
                    "| %s | %d | %d | %.2f | %s | %.1f, %.1f |%n",
                    place == Place.READER ? "reader" : "writer",
                    count,
                    forEach ? count : 1,
                    percent,
                    reader == null ? "the same" : String.format(Locale.ROOT, "%.2f", writers),
                    (Long.parseLong(seen[0]) - appended) / 1e6,
                    (Long.parseLong(seen[1]) - appended) / 1e6);
        } finally {
            Places.delete(directory);
        }
    }

    /** A process that is measured; it answers a line to each line that it is sent. */
    private static final class Other implements AutoCloseable {
        private final Process process;
        private final BufferedReader answers;
        private final PrintStream questions;

        Other(Path directory, int count, Place what, boolean forEach, Place tailersIn)
                throws IOException {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(List.of("-Xmx512m", "-cp", System.getProperty("java.class.path")));
            command.add(IdleReaders.class.getName());
            command.addAll(List.of("--child", what.name(), "--dir", directory.toString()));
            command.addAll(List.of("--partitions", Integer.toString(count)));
            command.addAll(List.of("--tailers-in", tailersIn.name()));
            if (forEach) {
                command.add("--each");
            }
            process =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            answers =
                    new BufferedReader(
                            new InputStreamReader(
                                    process.getInputStream(), StandardCharsets.UTF_8));
            questions = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
            read();
        }

        private String read() throws IOException {
            String line = answers.readLine();
            if (line == null) {
                throw new IOException("a process that is measured has ended");
            }
            return line;
        }

        String ask(String question) throws IOException {
            questions.println(question);
            return read();
        }

        /** The processor time so far, in ticks. */
        long ticks() throws IOException {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        }

        @Override
        public void close() {
            questions.close(); // it ends at the end of its input
            process.onExit().join();
        }
    }

    // ---- the process that is measured

    private void beChild() throws Exception {
        LogStoreBuilder builder =
                LogStore.at(disk.resolve("store")).tier(FileTier.at(disk.resolve("segments")));
        try (LogStore store =
                child == Place.READER ? HostedStore.of(builder.openReadOnly()) : builder.open()) {
            Topic topic = child == Place.READER ? store.openTopic(TOPIC) : fill(store);
            Waits waits = new Waits(topic, isForEach);
            if (places.contains(child)) {
                waits.prepare();
            }
            answer("ready");
            BufferedReader questions =
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = questions.readLine(); line != null; line = questions.readLine()) {
                switch (line) {
                    case "wait" -> {
                        waits.begin();
                        answer("waiting");
                    }
                    case "append" -> {
                        long now = System.nanoTime();
                        append(topic, 1);
                        answer(Long.toString(now));
                    }
                    default -> answer(waits.end());
                }
            }
        }
    }

    private void answer(String line) {
        out.println(line);
        out.flush();
    }

    private Topic fill(LogStore store) {
        Topic topic =
                store.createTopic(
                        TOPIC,
                        TopicOptions.defaults()
                                .withDurability(Durability.WRITTEN)
                                .withPartitions(partitions[0])
                                .withMaxRecordBytes(16 << 10)
                                .withSegmentBytes(256 << 10));
        append(topic, RECORDS);
        return topic;
    }

    private static void append(Topic topic, int each) {
        byte[] value = new byte[RECORD_BYTES];
        for (int i = 0; i < topic.partitionCount(); i++) {
            try (Appender appender = topic.partition(i).openExclusiveAppender()) {
                for (int j = 0; j < each; j++) {
                    appender.append(value);
                }
            }
        }
    }

    /** Tailers that wait for one record more in each partition, at the ends. */
    private static final class Waits {
        private final Topic topic;
        private final boolean forEach;
        private final List<Thread> threads = new ArrayList<>();
        private final List<Long> seenNs = new ArrayList<>();
        private CountDownLatch begun;

        Waits(Topic topic, boolean forEach) {
            this.topic = topic;
            this.forEach = forEach;
        }

        void prepare() {
            int count = topic.partitionCount();
            begun = new CountDownLatch(forEach ? count : 1);
            for (int i = 0; i < (forEach ? count : 1); i++) {
                Tailer tailer = forEach ? topic.partition(i).openTailer() : topic.openTailer();
                tailer.seekToEnd();
                threads.add(new Thread(() -> read(tailer, forEach ? 1 : count), "tailer-" + i));
            }
        }

        private void read(Tailer tailer, int count) {
            begun.countDown();
            for (int left = count; left > 0; ) {
                left -= tailer.poll(record -> Action.CONTINUE, left, Duration.ofDays(1));
                synchronized (seenNs) {
                    seenNs.add(System.nanoTime());
                }
            }
            tailer.close();
        }

        void begin() throws InterruptedException {
            threads.forEach(Thread::start);
            begun.await();
        }

        /** Returns when the first and the last records were seen. */
        String end() throws InterruptedException {
            for (Thread each : threads) {
                each.join();
            }
            synchronized (seenNs) {
                return seenNs.get(0) + " " + seenNs.get(seenNs.size() - 1);
            }
        }
    }
}
