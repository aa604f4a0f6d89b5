package io.firn.embedder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar as others get it, beside what they may have on their class path. */
class EmbeddingIT {
    private static final String JAR = System.getProperty("firn.server.jar");
    private static final String OTHER_CLIENTS = System.getProperty("other.clients.jar");
    private static final String OTHER_VERSION = System.getProperty("other.clients.version");
    private static final long HANGS_AFTER_S = 120;

    @TempDir Path directory;

    @Test
    void shouldRunBesideAnotherVersionOfKafkasClientsWhicheverComesFirst() throws Exception {
        for (List<String> first :
                List.of(List.of(JAR, OTHER_CLIENTS), List.of(OTHER_CLIENTS, JAR))) {
            List<String> said = run(first);
            assertTrue(said.contains("version " + OTHER_VERSION), said.toString());
            // The application's own clients look for a logger, and may say that there is none.
            assertFalse(said.toString().contains("shaded"), said.toString());
        }
    }

    /** Whatever else lies in it could be found in the place of what others brought along. */
    @Test
    void shouldHoldNothingOutsideOfItsOwnPackages() throws IOException {
        try (JarFile jar = new JarFile(JAR)) {
            List<String> others =
                    jar.stream()
                            .map(each -> each.getName())
                            .filter(name -> !name.endsWith("/"))
                            .filter(name -> !name.matches("(io/firn/server|META-INF)/.*"))
                            .filter(name -> !name.matches("LICENSE|NOTICE"))
                            .toList();
            assertEquals(List.of(), others);
            assertTrue(jar.stream().noneMatch(each -> each.getName().contains("jazzer")));
        }
    }

    private List<String> run(List<String> first) throws Exception {
        List<String> path = new ArrayList<>(first);
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator)) {
            String name = Path.of(each).toUri().getPath();
            boolean isInside =
                    name.matches(".*/(kafka-clients|slf4j-jdk14)[^/]*")
                            || name.endsWith("/netty-server/target/classes/")
                            || each.equals(JAR);
            if (!isInside) {
                path.add(each);
            }
        }
        Path said = directory.resolve("said");
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                String.join(File.pathSeparator, path),
                                Embedder.class.getName(),
                                Files.createTempDirectory(directory, "embedder").toString()));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile());
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().remove("JDK_JAVA_OPTIONS");
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(HANGS_AFTER_S, TimeUnit.SECONDS), "it hangs");
            List<String> words = Files.readAllLines(said, StandardCharsets.UTF_8);
            assertEquals(0, process.exitValue(), words.toString());
            return words;
        } finally {
            process.destroyForcibly();
        }
    }
}
