package io.firn.chronicle;

import io.firn.Tailer;
import io.firn.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.time.SetTimeProvider;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;

/** Queues that Chronicle Queue writes, and what it reads from them. */
final class Queues {
    /** A time; the queues' clocks are set by the tests. */
    private static final long START_NS = 1_700_000_000L * 1_000_000_000L;

    private Queues() {}

    /**
     * Writes documents of random bytes and lengths, and in some cases by Chronicle's own wire, to a
     * number of roll cycles that follow each other.
     */
    static void write(Path directory, RollCycle cycle, long seed, int documents, int cycles)
            throws IOException {
        write(directory, cycle, seed, documents, cycles, done -> {});
    }

    static void write(
            Path directory,
            RollCycle cycle,
            long seed,
            int documents,
            int cycles,
            LongConsumer progress)
            throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        SetTimeProvider time = new SetTimeProvider(START_NS);
        try (SingleChronicleQueue queue =
                        SingleChronicleQueueBuilder.single(directory.toString())
                                .rollCycle(cycle)
                                .timeProvider(time)
                                .build();
                ExcerptAppender appender = queue.createAppender()) {
            int inCycle = (documents + cycles - 1) / cycles;
            for (int i = 0; i < documents; i++) {
                if (i > 0 && i % inCycle == 0) {
                    time.advanceMillis(cycle.lengthInMillis());
                }
                writeOne(appender, random, i);
                progress.accept(i + 1L);
            }
        }
    }

    private static void writeOne(ExcerptAppender appender, SplittableRandom random, int i) {
        int kind = random.nextInt(100);
        if (kind < 10) {
            try (DocumentContext document = appender.writingDocument()) {
                document.wire().write("order").int64(i).write("symbol").text("EUR/USD");
            }
            return;
        }
        int length =
                kind < 80
                        ? random.nextInt(200)
                        : kind < 99 ? random.nextInt(2_000) : random.nextInt(40_000);
        byte[] value = new byte[length];
        random.nextBytes(value);
        try (DocumentContext document = appender.writingDocument()) {
            document.wire().bytes().write(value);
        }
    }

    /**
     * Appends short documents to an existing queue, in its last cycle or a later one, whose file is
     * created even if there are none.
     */
    static void append(Path directory, int documents, long cyclesLater) {
        SetTimeProvider time = new SetTimeProvider();
        SingleChronicleQueueBuilder builder =
                SingleChronicleQueueBuilder.single(directory.toString()).timeProvider(time);
        long cycle;
        long lengthMs;
        try (SingleChronicleQueue queue = builder.build()) {
            cycle = queue.lastCycle();
            lengthMs = queue.rollCycle().lengthInMillis();
        }
        time.currentTimeMillis((cycle + cyclesLater) * lengthMs);
        try (SingleChronicleQueue queue =
                        SingleChronicleQueueBuilder.single(directory.toString())
                                .timeProvider(time)
                                .build();
                ExcerptAppender appender = queue.createAppender()) {
            if (documents == 0) {
                try (DocumentContext document = appender.writingDocument()) {
                    document.rollbackOnClose();
                }
            }
            for (int i = 0; i < documents; i++) {
                byte[] value = {(byte) i, 1, 2, 3};
                try (DocumentContext document = appender.writingDocument()) {
                    document.wire().bytes().write(value);
                }
            }
        }
    }

    /** The queue's files, oldest first. */
    static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(path -> path.toString().endsWith(".cq4")).sorted().toList();
        }
    }

    /** All documents, as Chronicle's tailer gives them; of a whole queue. */
    static List<byte[]> read(Path directory) {
        List<byte[]> all = new ArrayList<>();
        try (ChronicleQueue queue =
                        SingleChronicleQueueBuilder.single(directory.toString())
                                .readOnly(true)
                                .build();
                ExcerptTailer tailer = queue.createTailer()) {
            while (true) {
                try (DocumentContext document = tailer.readingDocument()) {
                    if (!document.isPresent()) {
                        return all;
                    }
                    Bytes<?> bytes = document.wire().bytes();
                    byte[] value = new byte[(int) bytes.readRemaining()];
                    bytes.read(value);
                    all.add(value);
                }
            }
        }
    }

    /** Compares a topic with the documents of a whole queue; returns their number. */
    static long requireEqual(Path directory, Topic topic) {
        long count = 0;
        try (ChronicleQueue queue =
                        SingleChronicleQueueBuilder.single(directory.toString())
                                .readOnly(true)
                                .build();
                ExcerptTailer tailer = queue.createTailer();
                Tailer records = topic.partition(0).openTailer()) {
            byte[][] value = new byte[1][];
            while (true) {
                value[0] = null;
                records.forEach(record -> value[0] = record.copy().value(), 1);
                try (DocumentContext document = tailer.readingDocument()) {
                    if (!document.isPresent()) {
                        if (value[0] != null) {
                            throw new IllegalStateException("the topic has more than " + count);
                        }
                        return count;
                    }
                    Bytes<?> bytes = document.wire().bytes();
                    byte[] expected = new byte[(int) bytes.readRemaining()];
                    bytes.read(expected);
                    if (!Arrays.equals(expected, value[0])) {
                        throw new IllegalStateException("not equal at offset " + count);
                    }
                    count++;
                }
            }
        }
    }
}
