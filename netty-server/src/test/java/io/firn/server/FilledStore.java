package io.firn.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.Compression;
import io.firn.LogStore;
import io.firn.StoredRecord;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.host.HostedAppender;
import io.firn.kafka.CompactedFiles;
import io.firn.kafka.KafkaBatches;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Makes the store of a server that has not started yet, for {@code bin/check clients}: topics whose
 * segments have fillers at the start, in the middle and at the end, segments of nothing else, and
 * batches that have lost some records, with the codec that all clients have, and with none.
 */
final class FilledStore {
    private static final int PARTITIONS = 3;
    private static final int RECORDS = 600;
    private static final int VALUE_BYTES = 700;

    private static final Logger LOG = Logger.getLogger("io.firn");

    private FilledStore() {}

    /**
     * {@code FilledStore DIRECTORY EXPECTED TOPIC...}; writes the values that are left to a file.
     */
    public static void main(String[] arguments) throws IOException {
        LOG.setLevel(Level.SEVERE); // of marks that are made anew
        Path directory = Path.of(arguments[0]);
        Path segments = directory.resolve("segments");
        List<String> topics = List.of(arguments).subList(2, arguments.length);
        try (LogStore store = open(directory)) {
            TopicOptions options =
                    TopicOptions.defaults()
                            .withPartitions(PARTITIONS)
                            .withSegmentBytes(64 << 10)
                            .withMaxRecordBytes(32 << 10);
            for (String name : topics) {
                fill(store.createTopic(name, options));
            }
        }
        List<String> left = new ArrayList<>();
        for (Path each : CompactedFiles.partitionsOf(segments)) {
            List<String> values =
                    CompactedFiles.rewrite(each, record -> stays(record.offset())).stream()
                            .map(record -> new String(record.value(), UTF_8))
                            .toList();
            if (!left.containsAll(values)) {
                left.addAll(values); // all topics have the same
            }
        }
        Files.write(Path.of(arguments[1]), left);
        open(directory).close(); // makes marks for the new segments
    }

    /** As the server does with {@code log.dir}. */
    private static LogStore open(Path directory) {
        return LogStore.at(directory.resolve("firn"))
                .tier(FileTier.at(directory.resolve("segments")))
                .open();
    }

    private static void fill(Topic topic) {
        Compression[] codecs = {Compression.NONE, Compression.GZIP};
        for (int partition = 0; partition < PARTITIONS; partition++) {
            Random random = new Random(partition);
            try (Appender appender = topic.partition(partition).openExclusiveAppender()) {
                for (int offset = 0; offset < RECORDS; offset += 5) {
                    List<StoredRecord> batch = new ArrayList<>();
                    for (int i = offset; i < offset + 5; i++) {
                        batch.add(record(partition, i, random));
                    }
                    HostedAppender.of(appender)
                            .appendBatch(
                                    KafkaBatches.of(codecs[offset / 5 % codecs.length])
                                            .encode(batch));
                }
            }
        }
    }

    private static StoredRecord record(int partition, int offset, Random random) {
        StringBuilder value = new StringBuilder(partition + "-" + offset + "-");
        while (value.length() < VALUE_BYTES) {
            value.append((char) ('a' + random.nextInt(26)));
        }
        byte[] key = {(byte) offset};
        long time = 1_700_000_000_000L + offset;
        return new StoredRecord(0, 0, time, key, value.toString().getBytes(UTF_8), List.of());
    }

    /** The rest goes: more than a segment at the start, in the middle and at the end. */
    private static boolean stays(long offset) {
        return (offset >= 150 && offset < 230 && offset % 3 == 0)
                || (offset >= 390 && offset < 440 && offset % 7 < 5);
    }
}
