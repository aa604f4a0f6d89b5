package io.firn.crashlab;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Compression;
import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.sim.SimulatedFileMedium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.CachedEpochClock;

/** The batches of a reference log: of every compression, as a store writes them. */
final class ReferenceBatches {
    private static final int COMPRESSED_ONE_IN = 5;
    private static final int HEADER = 61;

    /** A record; the key may be null, and the value if there is a key. */
    record Content(byte[] key, byte[] value) {
        boolean isTombstone() {
            return value == null;
        }
    }

    private ReferenceBatches() {}

    /** Returns the records of a batch, one to three. */
    static List<Content> records(int batch, int most, boolean isKeyed) {
        int count = 1 + batch % most;
        List<Content> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] value = bytes("value " + i + " of the batch " + batch);
            records.add(isKeyed ? keyed(batch, i, value) : new Content(null, value));
        }
        return records;
    }

    /**
     * Of twelve batches, four have only records that are superseded soon, so that fillers take
     * their places. Of the others every second record is superseded. One record of eleven deletes.
     */
    private static Content keyed(int batch, int record, byte[] value) {
        boolean isShared = batch % 12 < 4 || (batch + record) % 2 == 0;
        String key = isShared ? "shared " + (batch + record) % 5 : "own " + batch + " " + record;
        return new Content(bytes(key), (3 * batch + record) % 11 == 10 ? null : value);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Mostly uncompressed batches, which are fast to read. */
    private static Compression compression(int batch) {
        Compression[] all = Compression.values();
        return batch % COMPRESSED_ONE_IN == COMPRESSED_ONE_IN - 1
                ? all[batch / COMPRESSED_ONE_IN % all.length]
                : Compression.NONE;
    }

    /** Returns the bytes of batches, each with its records. */
    static List<ByteBuffer> encode(List<List<Content>> batches, long timeMs) throws IOException {
        SimulatedFileMedium scratch = Media.FILES.empty();
        CachedEpochClock still = new CachedEpochClock();
        still.update(timeMs);
        try (LogStore store = Media.FILES.open(scratch, still, 0)) {
            Map<Compression, List<ByteBuffer>> encoded = new EnumMap<>(Compression.class);
            for (Compression each : Compression.values()) {
                encoded.put(each, encode(store, scratch, each, batches));
            }
            List<ByteBuffer> all = new ArrayList<>();
            for (int i = 0; i < batches.size(); i++) {
                all.add(encoded.get(compression(i)).remove(0));
            }
            return all;
        }
    }

    private static List<ByteBuffer> encode(
            LogStore store,
            SimulatedFileMedium medium,
            Compression compression,
            List<List<Content>> batches)
            throws IOException {
        String name = "t" + compression;
        TopicOptions options =
                TopicOptions.defaults().withSegmentBytes(1 << 20).withCompression(compression);
        try (Appender appender =
                store.createTopic(name, options).partition(0).openExclusiveAppender()) {
            for (int i = 0; i < batches.size(); i++) {
                if (compression(i) == compression) {
                    Batch batch = appender.newBatch();
                    batches.get(i).forEach(each -> add(batch, each));
                    appender.append(batch);
                }
            }
        }
        List<ByteBuffer> encoded = new ArrayList<>();
        String id = store.openTopic(name).id().toString();
        Path directory = Path.of("/sim/segments", id, "0");
        for (String file : medium.list(directory)) {
            byte[] bytes = ReferenceLog.bytes(medium, directory.resolve(file));
            for (int at = 0; length(bytes, at) > 0; at += length(bytes, at)) {
                int to = at + length(bytes, at);
                encoded.add(ByteBuffer.wrap(Arrays.copyOfRange(bytes, at, to)));
            }
        }
        return encoded;
    }

    private static void add(Batch batch, Content record) {
        if (record.key() == null) {
            batch.add(record.value());
        } else {
            batch.add(record.key(), record.value());
        }
    }

    /** Returns the length of the batch at a position; 0 if there is none. */
    static int length(byte[] bytes, int at) {
        if (at + HEADER > bytes.length) {
            return 0;
        }
        ByteBuffer header = ByteBuffer.wrap(bytes, at, HEADER).slice();
        int length = 12 + header.getInt(8);
        boolean isBatch = header.get(16) == 2 && length >= HEADER && at + length <= bytes.length;
        return isBatch ? length : 0;
    }
}
