package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.file.FileTier;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Who may read and write the files of a store and of its server. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class FileRightsTest {
    private static final Map<String, String> SMALL_SEGMENTS = Map.of("log.segment.bytes", "65536");

    @TempDir Path directory;

    private static Path openToAll(Path path) throws Exception {
        Files.createDirectories(path);
        return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    private Running start() throws Exception {
        return new Running(
                directory,
                SMALL_SEGMENTS,
                where ->
                        List.of(
                                PmemTier.at(where.resolve("pmem/pool"))
                                        .withCapacityBytes(16 << 20)
                                        .withBlockBytes(2 << 20)
                                        .withEmulation(Emulation.PLAIN),
                                FileTier.at(where.resolve("tier"))));
    }

    @Test
    void shouldKeepAllFilesForTheOwnerOfTheProcess() throws Exception {
        openToAll(directory); // else its parents would hide what the files are
        try (Running running = start()) {
            running.createTopic("orders", 1, Map.of());
            try (KafkaProducer<byte[], byte[]> producer = running.rawProducer(Map.of())) {
                for (int i = 0; i < 100; i++) { // until segments in files are sealed
                    producer.send(new ProducerRecord<>("orders", new byte[10_000])).get();
                }
            }
            try (KafkaConsumer<byte[], byte[]> consumer =
                    running.rawConsumer(Map.of("group.id", "group"))) {
                consumer.subscribe(List.of("orders"));
                Running.readSome(consumer);
                consumer.commitSync();
            }
        }
        Set<String> kinds = new TreeSet<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.toList()) {
                if (each.equals(directory)) {
                    continue;
                }
                String rights = PosixFilePermissions.toString(Files.getPosixFilePermissions(each));
                boolean isDirectory = Files.isDirectory(each);
                assertEquals(isDirectory ? "rwx------" : "rw-------", rights, each.toString());
                kinds.add(isDirectory ? "directory" : each.getFileName().toString());
            }
        }
        assertTrue(kinds.contains("directory"));
        assertTrue(kinds.stream().anyMatch(each -> each.endsWith(".log")), kinds.toString());
        assertTrue(kinds.containsAll(Set.of("store", "topic", "lock", "users")), kinds.toString());
    }

    @Test
    void shouldNameAStoreAndFilesThatOthersMayWriteTo() throws Exception {
        start().close();
        Path users = directory.resolve("store/server/security/users");
        Set<Path> open =
                Set.of(
                        directory.resolve("store"),
                        directory.resolve("tier"),
                        directory.resolve("pmem/pool"),
                        users);
        try (Logged logged = new Logged("io.firn")) {
            start().close();
            assertFalse(logged.has("others can change"), "each is closed to others");
        }
        for (Path each : open) {
            Set<?> before = Files.getPosixFilePermissions(each);
            Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwxrwxrwx"));
            try (Logged logged = new Logged("io.firn")) {
                start().close();
                assertTrue(logged.has(each + " has the permissions rwxrwxrwx: "), each.toString());
            }
            Files.setPosixFilePermissions(
                    each,
                    PosixFilePermissions.fromString(
                            before.size() == 2 ? "rw-------" : "rwx------"));
        }
    }
}
