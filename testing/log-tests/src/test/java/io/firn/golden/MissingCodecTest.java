package io.firn.golden;

import static io.firn.kafka.SameRecords.assertSame;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.StoredRecord;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MissingCodecTest {
    private static final Pattern LIBRARY = Pattern.compile(".*(zstd-jni|lz4-java|snappy-java).*");

    /** Firn and what its modules need. */
    private static final Pattern MODULE =
            Pattern.compile(
                    ".*/(queue-core|tier-file)/target/classes/|.*/agrona-[^/]*|"
                            + ".*/firn-(core|tier-file)-[0-9][^/]*(?<!-tests)\\.jar");

    @TempDir private Path directory;

    @Test
    void shouldDoWithoutAnyCodecUntilABatchAsksForOne() throws Exception {
        Path batches = Files.createDirectory(directory.resolve("batches"));
        List<StoredRecord> records = new RandomRecords(9).next(0, 0, 20, 200);
        for (Compression codec : Compression.values()) {
            ByteBuffer batch = KafkaBatches.of(codec).encode(records);
            byte[] bytes = new byte[batch.remaining()];
            batch.get(bytes);
            Files.write(batches.resolve(codec.name()), bytes);
        }
        Path store = directory.resolve("store");
        ChildJvm.Ended child =
                ChildJvm.run(
                        directory,
                        entry -> !LIBRARY.matcher(entry).matches(),
                        WithoutCodecs.class,
                        List.of(store.toString(), batches.toString()));

        assertEquals(0, child.status(), () -> String.join("\n", child.err()));
        assertEquals(expected(records.size()), child.out());

        // What was stored as it came can be read as soon as the library is there.
        try (FileStore files = new FileStore(store)) {
            for (Compression codec : Compression.values()) {
                List<StoredRecord> found =
                        FileStore.readAll(files.topic("foreign-" + codec).partition(0));
                assertSame(records, found.subList(0, records.size()));
            }
        }
    }

    /** A class whose native code did not load fails in another way from the second time on. */
    @Test
    void shouldSayEachTimeWhyTheNativeCodeOfACodecDoesNotLoad() throws Exception {
        List<Compression> codecs = List.of(Compression.SNAPPY, Compression.ZSTD);
        Path store = directory.resolve("store");
        try (FileStore files = new FileStore(store)) {
            for (Compression codec : codecs) {
                UnloadableCodecs.fill(files, codec);
            }
        }
        ChildJvm.Ended child =
                ChildJvm.run(
                        directory,
                        List.of("-Dos.arch=unheard-of"),
                        entry -> true,
                        UnloadableCodecs.class,
                        List.of(store.toString()));

        assertEquals(0, child.status(), () -> String.join("\n", child.err()));
        List<String> lines = new ArrayList<>();
        for (Compression codec : codecs) {
            lines.add(codec + ": append refused, twice: " + codec.artifact() + " with its cause");
            lines.add(codec + ": read refused, twice: " + codec.artifact() + " with its cause");
            lines.add(codec + ": skipped 2, dirty ratio 1.0");
            lines.add(codec + ": findings 1");
        }
        assertEquals(lines, child.out());
    }

    @Test
    void shouldSayThatZstdHasToBeAModuleWhereFirnIsOne() throws Exception {
        String modules =
                Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(entry -> MODULE.matcher(Path.of(entry).toUri().getPath()).matches())
                        .collect(Collectors.joining(File.pathSeparator));
        ChildJvm.Ended child =
                ChildJvm.run(
                        directory,
                        List.of(
                                "-p",
                                modules,
                                "--add-modules",
                                "io.firn,io.firn.file",
                                "--add-exports",
                                "io.firn/io.firn.open=ALL-UNNAMED"),
                        entry -> true,
                        WithoutCodecs.class,
                        List.of(directory.resolve("store").toString()));

        assertEquals(0, child.status(), () -> String.join("\n", child.err()));
        String zstd =
                child.out().stream()
                        .filter(each -> each.startsWith("ZSTD: own batch"))
                        .findFirst()
                        .orElseThrow();
        assertTrue(zstd.contains(Compression.ZSTD.artifact()), zstd);
        assertTrue(zstd.contains("--add-modules"), zstd);
    }

    private static List<String> expected(int records) {
        List<String> lines = new ArrayList<>();
        for (Compression codec : Compression.values()) {
            String missing =
                    "a batch is compressed with "
                            + codec
                            + ", and "
                            + codec.artifact()
                            + " is not on the class path: add it";
            boolean built = codec.artifact().isEmpty();
            lines.add(codec + ": own batch " + (built ? "appended" : "refused: " + missing));
            lines.add(codec + ": own records " + (built ? 2 : 1));
            lines.add(
                    codec
                            + ": foreign "
                            + (built ? "records " + (records + 1) : "batch not read: " + missing));
            lines.add(codec + ": after it 1");
        }
        return lines;
    }
}
