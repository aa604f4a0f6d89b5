package io.firn.golden;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.CleanupPolicy;
import io.firn.Compression;
import io.firn.Finding;
import io.firn.MissingCodecException;
import io.firn.Partition;
import io.firn.PartitionReader.CompactionMetrics;
import io.firn.PartitionReader.CompactionResult;
import io.firn.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/** What a program gets whose codecs are on the class path but cannot load their native code. */
final class UnloadableCodecs {
    private UnloadableCodecs() {}

    /** Wants the directory of a store that {@link #fill} has filled. */
    public static void main(String[] arguments) {
        try (FileStore files = new FileStore(Path.of(arguments[0]))) {
            for (Compression codec : List.of(Compression.SNAPPY, Compression.ZSTD)) {
                Partition partition = files.store().openTopic("of-" + codec).partition(0);
                say(codec, "append refused, twice: " + both(() -> append(partition)));
                say(codec, "read refused, twice: " + both(() -> FileStore.readAll(partition)));
                CompactionResult result = files.store().compact("of-" + codec, 0);
                CompactionMetrics metrics = partition.metrics().compaction().orElseThrow();
                say(
                        codec,
                        "skipped "
                                + result.skipped().size()
                                + ", dirty ratio "
                                + metrics.dirtyRatio());
                long findings =
                        files.store().findings().stream()
                                .filter(each -> each.kind() == Finding.Kind.CODEC_MISSING)
                                .filter(each -> each.text().contains(codec.artifact()))
                                .count();
                say(codec, "findings " + findings);
            }
        }
    }

    /** Fills two segments of a topic that is compacted. */
    static void fill(FileStore files, Compression codec) throws IOException {
        Topic topic =
                files.store()
                        .createTopic(
                                "of-" + codec,
                                FileStore.options()
                                        .withCleanup(CleanupPolicy.COMPACT)
                                        .withMinDirtyRatio(1)
                                        .withCompression(codec));
        append(topic.partition(0));
        files.sealAll(topic);
        append(topic.partition(0));
        files.sealAll(topic);
    }

    private static long append(Partition partition) {
        try (Appender appender = partition.openAppender()) {
            Batch batch = appender.newBatch();
            byte[] key = "key".getBytes(StandardCharsets.UTF_8);
            return appender.append(batch.add(key, new byte[100]).add(key, new byte[100]));
        }
    }

    private static String both(Callable<?> use) {
        String first = failure(use);
        String second = failure(use);
        return first.equals(second) ? first : first + ", then " + second;
    }

    private static String failure(Callable<?> use) {
        try {
            return "result " + use.call();
        } catch (MissingCodecException e) {
            String message = e.getMessage();
            boolean isComplete =
                    message.contains("unheard-of")
                            && message.contains("=DIR")
                            && !message.contains("class path")
                            && e.getCause() != null;
            int at = message.indexOf(", and ") + ", and ".length();
            String artifact = message.substring(at, message.indexOf(' ', at));
            return isComplete ? artifact + " with its cause" : message;
        } catch (Exception | Error e) {
            return e.toString();
        }
    }

    private static void say(Compression codec, String what) {
        System.out.println(codec + ": " + what);
    }
}
