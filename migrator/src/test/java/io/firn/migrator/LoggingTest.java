package io.firn.migrator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.file.FileTier;
import io.firn.pmem.PmemTier;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Core, tiers and migrator log in one place only, where what a handler throws ends. */
class LoggingTest {
    private static final List<Class<?>> OF_EACH_MODULE =
            List.of(LogStore.class, FileTier.class, PmemTier.class, Migrator.class);

    /** In the constants of a class that asks for a logger. */
    private static final List<String> LOGGERS =
            List.of("getLogger", "java/util/logging/", "org/slf4j/", "printStackTrace");

    @Test
    void shouldLogThroughTheGuardedLogOnly() throws Exception {
        Set<String> loggers = new TreeSet<>();
        for (Class<?> each : OF_EACH_MODULE) {
            Path place = Path.of(each.getProtectionDomain().getCodeSource().getLocation().toURI());
            int seen = Files.isDirectory(place) ? collect(place, loggers) : inJar(place, loggers);
            assertTrue(seen > 1, place + " has " + seen + " classes");
        }
        assertEquals(Set.of("GuardedLog.class"), loggers);
    }

    private static int inJar(Path jar, Set<String> loggers) throws IOException {
        try (FileSystem files =
                FileSystems.newFileSystem(URI.create("jar:" + jar.toUri()), Map.of())) {
            return collect(files.getPath("/"), loggers);
        }
    }

    private static int collect(Path root, Set<String> loggers) throws IOException {
        List<Path> classes;
        try (Stream<Path> files = Files.walk(root)) {
            classes = files.filter(file -> file.toString().endsWith(".class")).toList();
        }
        for (Path each : classes) {
            try (InputStream in = Files.newInputStream(each)) {
                String constants = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
                if (LOGGERS.stream().anyMatch(constants::contains)) {
                    loggers.add(each.getFileName().toString());
                }
            }
        }
        return classes.size();
    }
}
