package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.firn.LogStore;
import io.firn.file.FileTier;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's program in Kotlin, whose compiler only {@code bin/check api} brings along. */
@Tag("slow")
final class KotlinBuildTest {
    @TempDir private Path directory;

    @Test
    void shouldCompileTheProgramOfTheReadmeWithoutAWarning() throws ReflectiveOperationException {
        Class<?> compiler = find("org.jetbrains.kotlin.cli.jvm.K2JVMCompiler");
        assumeTrue(compiler != null, "no Kotlin compiler is on the class path: see bin/check api");
        List<Path> libraries =
                Stream.of(LogStore.class, FileTier.class, DirectBuffer.class, find("kotlin.Unit"))
                        .map(UserBuildTest::origin)
                        .toList();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        Object result =
                compiler.getMethod("exec", PrintStream.class, String[].class)
                        .invoke(
                                compiler.getConstructor().newInstance(),
                                new PrintStream(said, true, UTF_8),
                                new String[] {
                                    "-Werror",
                                    "-no-stdlib",
                                    "-no-reflect",
                                    "-jvm-target",
                                    "17",
                                    "-classpath",
                                    UserBuildTest.joined(libraries),
                                    "-d",
                                    directory.toString(),
                                    "src/test/resources/FirstScreen.kt"
                                });
        assertEquals("OK", result.toString(), said.toString(UTF_8));
    }

    private static Class<?> find(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }
}
