package io.firn.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.file.FileTier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a user compiles against the libraries, with all warnings as errors: nothing that Firn itself
 * is built with, such as its annotations, may be missed.
 */
final class UserBuildTest {
    /** What a user of firn-core and firn-tier-file has, and nothing else. */
    private static final List<Path> LIBRARIES =
            Stream.of(LogStore.class, FileTier.class, DirectBuffer.class)
                    .map(UserBuildTest::origin)
                    .toList();

    private static final Path README_PROGRAM =
            Path.of("src/main/java/io/firn/examples/FirstScreen.java");

    private static final List<String> PACKAGES =
            List.of("io.firn", "io.firn.host", "io.firn.medium", "io.firn.spi", "io.firn.stream");

    @TempDir private Path directory;

    static Path origin(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    static String joined(List<Path> path) {
        return path.stream()
                .map(Path::toString)
                .collect(Collectors.joining(System.getProperty("path.separator")));
    }

    /** The oldest release, and the one that runs this. */
    static IntStream releases() {
        return IntStream.of(17, Runtime.version().feature()).distinct();
    }

    @ParameterizedTest
    @MethodSource("releases")
    void shouldCompileTheProgramOfTheReadmeWithoutAWarning(int release) throws IOException {
        assertEquals(List.of(), compile(release, List.of(README_PROGRAM), "--class-path"));
    }

    @ParameterizedTest
    @MethodSource("releases")
    void shouldCompileTheProgramOfTheReadmeAsAModule(int release) throws IOException {
        Path module = directory.resolve("module-info.java");
        Files.writeString(module, "module user { requires io.firn; requires io.firn.file; }");
        assertEquals(List.of(), compile(release, List.of(module, README_PROGRAM), "--module-path"));
    }

    /** A class file with an annotation that the user does not have is a warning. */
    @ParameterizedTest
    @MethodSource("releases")
    void shouldCompileUsesOfAllPublicTypesWithoutAWarning(int release) throws IOException {
        List<String> types = publicTypes();
        assertTrue(types.size() > 100, types::toString);
        Path program = directory.resolve("AllTypes.java");
        Files.writeString(
                program,
                types.stream()
                        .collect(
                                Collectors.joining(
                                        ".class,\n",
                                        "final class AllTypes {\n    static final Class<?>[] ALL = {\n",
                                        ".class};\n}\n")));
        assertEquals(List.of(), compile(release, List.of(program), "--class-path"));
    }

    /** Returns what the compiler says. */
    private List<String> compile(int release, List<Path> sources, String pathOption)
            throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<String> options = new ArrayList<>(List.of("-Xlint:all", "-Werror", "-proc:none"));
        options.addAll(List.of("--release", Integer.toString(release)));
        options.addAll(List.of(pathOption, joined(LIBRARIES)));
        options.addAll(List.of("-d", directory.resolve("classes").toString()));
        try (StandardJavaFileManager files = compiler.getStandardFileManager(found, null, null)) {
            boolean isDone =
                    compiler.getTask(
                                    null,
                                    files,
                                    found,
                                    options,
                                    null,
                                    files.getJavaFileObjectsFromPaths(sources))
                            .call();
            List<String> said = found.getDiagnostics().stream().map(Diagnostic::toString).toList();
            assertTrue(isDone, said::toString);
            return said;
        }
    }

    private static List<String> publicTypes() throws IOException {
        Path library = origin(LogStore.class);
        if (Files.isDirectory(library)) {
            return publicTypes(library);
        }
        try (FileSystem jar = FileSystems.newFileSystem(library)) {
            return publicTypes(jar.getPath("/"));
        }
    }

    private static List<String> publicTypes(Path classes) {
        List<String> found = new ArrayList<>();
        for (String name : PACKAGES) {
            try (Stream<Path> files = Files.list(classes.resolve(name.replace('.', '/')))) {
                files.map(each -> each.getFileName().toString())
                        .filter(file -> file.endsWith(".class"))
                        .map(file -> load(name + "." + file.replace(".class", "")))
                        .filter(UserBuildTest::isPublic)
                        .forEach(type -> found.add(type.getCanonicalName()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return found;
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, LogStore.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isPublic(Class<?> type) {
        boolean isPublic = type.getCanonicalName() != null;
        for (Class<?> each = type; each != null; each = each.getEnclosingClass()) {
            isPublic &= Modifier.isPublic(each.getModifiers());
        }
        return isPublic;
    }
}
