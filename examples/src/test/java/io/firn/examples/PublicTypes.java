package io.firn.examples;

import io.firn.LogStore;
import io.firn.bytes.BytesAppender;
import io.firn.file.FileTier;
import io.firn.forward.Forward;
import io.firn.migrator.Migrator;
import io.firn.pmem.PmemTier;
import io.firn.server.FirnServer;
import io.firn.shadow.Shadow;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;

/** The types that the published libraries offer to all: what a user compiles against. */
final class PublicTypes {
    /** One class of each library. */
    static final List<Class<?>> LIBRARIES =
            List.of(
                    LogStore.class,
                    FileTier.class,
                    PmemTier.class,
                    Migrator.class,
                    BytesAppender.class,
                    Shadow.class,
                    Forward.class,
                    FirnServer.class);

    private PublicTypes() {}

    /** Returns where a library is: a jar, or a directory of classes in a build that stops early. */
    static Path placeOf(Class<?> library) {
        try {
            return Path.of(library.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the library's module; the server's has none until its jar is built. */
    static Optional<ModuleDescriptor> moduleOf(Class<?> library) {
        return ModuleFinder.of(placeOf(library)).findAll().stream()
                .map(found -> found.descriptor())
                .filter(found -> !found.isAutomatic())
                .findFirst();
    }

    /** Returns the packages that a library exports to all. */
    static Set<String> exportsOf(Class<?> library) {
        return moduleOf(library)
                .map(
                        module ->
                                module.exports().stream()
                                        .filter(exports -> !exports.isQualified())
                                        .map(Exports::source)
                                        .collect(Collectors.toSet()))
                .orElse(Set.of(library.getPackageName()));
    }

    /** Returns the bytes of the class files of a library's exported packages. */
    static List<byte[]> classFilesOf(Class<?> library) throws IOException {
        Path place = placeOf(library);
        if (Files.isDirectory(place)) {
            return classFiles(place, exportsOf(library));
        }
        try (FileSystem jar = FileSystems.newFileSystem(place)) {
            return classFiles(jar.getPath("/"), exportsOf(library));
        }
    }

    private static List<byte[]> classFiles(Path root, Set<String> packages) throws IOException {
        List<byte[]> files = new ArrayList<>();
        for (String each : packages) {
            try (Stream<Path> found = Files.list(root.resolve(each.replace('.', '/')))) {
                for (Path file : found.sorted().toList()) {
                    String name = file.getFileName().toString();
                    if (name.endsWith(".class") && !name.equals("package-info.class")) {
                        files.add(Files.readAllBytes(file));
                    }
                }
            }
        }
        return files;
    }

    /** Returns the public types of all libraries, with those in them. */
    static Set<Class<?>> all() throws IOException {
        Set<Class<?>> all = new LinkedHashSet<>();
        for (Class<?> library : LIBRARIES) {
            for (byte[] file : classFilesOf(library)) {
                Class<?> type = load(library, new ClassReader(file).getClassName());
                if (isPublic(type)) {
                    all.add(type);
                }
            }
        }
        return all;
    }

    private static Class<?> load(Class<?> library, String name) {
        try {
            return Class.forName(name.replace('/', '.'), false, library.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isPublic(Class<?> type) {
        Class<?> enclosing = type.getEnclosingClass();
        return Modifier.isPublic(type.getModifiers()) && (enclosing == null || isPublic(enclosing));
    }
}
