package io.firn.golden;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** The files of a golden store, among the test's resources. */
final class GoldenZip {
    private GoldenZip() {}

    /** Packs a store's files, but for locks, which say who held them. */
    static void pack(Path directory, Path zip) throws IOException {
        if (Files.exists(zip)) {
            throw new FileAlreadyExistsException(zip + ": a golden store is written once");
        }
        try (OutputStream out = Files.newOutputStream(zip);
                ZipOutputStream packed = new ZipOutputStream(out)) {
            packed.setLevel(Deflater.BEST_COMPRESSION);
            for (Path file : files(directory)) {
                if (!file.getFileName().toString().equals("lock")) {
                    ZipEntry entry = new ZipEntry(directory.relativize(file).toString());
                    entry.setLastModifiedTime(FileTime.fromMillis(0));
                    packed.putNextEntry(entry);
                    Files.copy(file, packed);
                    packed.closeEntry();
                }
            }
        }
    }

    static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> walk = Files.walk(directory)) {
            return walk.filter(Files::isRegularFile).sorted().toList();
        }
    }

    static void unpack(String name, Path directory) throws IOException {
        try (ZipInputStream zip = new ZipInputStream(resource(name))) {
            ZipEntry entry;
            while ((entry = zip.getNextEntry()) != null) {
                Path file = directory.resolve(entry.getName()).normalize();
                assertTrue(file.startsWith(directory), entry.getName());
                Files.createDirectories(file.getParent());
                Files.copy(zip, file);
            }
        }
    }

    static InputStream resource(String name) {
        InputStream in = GoldenZip.class.getResourceAsStream("/golden/" + name);
        assertNotNull(in, "golden/" + name + " is missing");
        return in;
    }
}
