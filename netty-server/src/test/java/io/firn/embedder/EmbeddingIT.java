package io.firn.embedder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The jar as others get it, beside what they may have on their class path. */
class EmbeddingIT {
    private static final String JAR = System.getProperty("firn.server.jar");
    private static final String POM = System.getProperty("firn.server.pom");
    private static final String OTHER_CLIENTS = System.getProperty("other.clients.jar");
    private static final String OTHER_VERSION = System.getProperty("other.clients.version");
    private static final long HANGS_AFTER_S = 120;

    @TempDir Path directory;

    @Test
    void shouldRunBesideAnotherVersionOfKafkasClientsWhicheverComesFirst() throws Exception {
        for (List<String> first :
                List.of(List.of(JAR, OTHER_CLIENTS), List.of(OTHER_CLIENTS, JAR))) {
            List<String> said = runOnClassPath(first);
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
                            .filter(name -> !name.matches("LICENSE|NOTICE|module-info.class"))
                            .toList();
            assertEquals(List.of(), others);
            assertTrue(jar.stream().noneMatch(each -> each.getName().contains("jazzer")));
        }
    }

    @Test
    void shouldBeAModuleThatExportsItsApiOnly() {
        ModuleDescriptor module =
                ModuleFinder.of(Path.of(JAR)).find("io.firn.server").orElseThrow().descriptor();
        assertFalse(module.isAutomatic());
        assertEquals(
                Set.of("io.firn.server", "io.firn.server.config"),
                module.exports().stream()
                        .filter(each -> !each.isQualified())
                        .map(ModuleDescriptor.Exports::source)
                        .collect(Collectors.toSet()));
        assertTrue(module.packages().contains("io.firn.server.wire"), "it is not exported");
    }

    @Test
    void shouldRunOnTheModulePathBesideAnotherVersionOfKafkasClients() throws Exception {
        List<String> said =
                run(
                        "-p",
                        modulePath(),
                        "--add-modules",
                        "io.firn.server,io.netty.transport.epoll.linux.x86_64,"
                                + "com.github.luben.zstd_jni",
                        "-cp",
                        String.join(File.pathSeparator, classPath(List.of(OTHER_CLIENTS))),
                        Embedder.class.getName(),
                        Files.createTempDirectory(directory, "embedder").toString());
        assertTrue(said.contains("version " + OTHER_VERSION), said.toString());
        assertTrue(said.contains("module io.firn.server"), said.toString());
    }

    @Test
    void shouldStartAsAProcessOnTheModulePath() throws Exception {
        List<String> said =
                run(
                        "-p",
                        modulePath(),
                        "--add-modules",
                        "info.picocli",
                        "-m",
                        "io.firn.server/io.firn.server.ServerMain",
                        "-V");
        assertTrue(said.toString().startsWith("[Firn "), said.toString());
    }

    /** What others get with it, unless they ask for more. */
    @Test
    void shouldBringNothingThatOnlyTheProcessOrSomeClientsNeed() throws Exception {
        NodeList all =
                DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new File(POM))
                        .getElementsByTagName("dependency");
        Set<String> brought = new TreeSet<>();
        for (int i = 0; i < all.getLength(); i++) {
            Element each = (Element) all.item(i);
            boolean isForTests = "test|provided|import".contains(text(each, "scope", "compile"));
            if (!isForTests && !text(each, "optional", "false").equals("true")) {
                brought.add(text(each, "artifactId", ""));
            }
        }
        assertEquals(
                Set.of(
                        "firn-core",
                        "firn-tier-file",
                        "firn-tier-pmem",
                        "firn-migrator",
                        "netty-codec-base",
                        "netty-handler",
                        "netty-transport-classes-epoll",
                        "netty-transport-native-epoll"),
                brought);
    }

    private static String text(Element parent, String name, String defaultValue) {
        NodeList found = parent.getElementsByTagName(name);
        return found.getLength() == 0 ? defaultValue : found.item(0).getTextContent();
    }

    private static List<String> given() {
        return List.of(System.getProperty("java.class.path").split(File.pathSeparator));
    }

    /** The server's jar and what it needs, without what belongs to tests. */
    private static String modulePath() {
        List<String> path = new ArrayList<>(List.of(JAR));
        for (String each : given()) {
            String name = Path.of(each).toUri().getPath();
            boolean isLibrary =
                    name.matches(".*/(netty|picocli|agrona|zstd-jni|lz4-java|snappy-java)-[^/]*");
            boolean isOurs =
                    name.matches(
                            ".*/firn-(core|tier-file|tier-pmem|migrator)-[^/]*|"
                                    + ".*/(queue-core|tier-file|tier-pmem|migrator)/target/classes/");
            if (isLibrary || (isOurs && !name.endsWith("-tests.jar"))) {
                path.add(each);
            }
        }
        return String.join(File.pathSeparator, path);
    }

    private List<String> runOnClassPath(List<String> first) throws Exception {
        return run(
                "-cp",
                String.join(File.pathSeparator, classPath(first)),
                Embedder.class.getName(),
                Files.createTempDirectory(directory, "embedder").toString());
    }

    /** Without picocli; the codecs are there for the application's own clients. */
    private static List<String> classPath(List<String> first) {
        List<String> path = new ArrayList<>(first);
        for (String each : given()) {
            String name = Path.of(each).toUri().getPath();
            boolean isInside =
                    name.matches(".*/(kafka-clients|slf4j-jdk14|picocli)[^/]*")
                            || name.endsWith("/netty-server/target/classes/")
                            || each.equals(JAR);
            if (!isInside) {
                path.add(each);
            }
        }
        return path;
    }

    private List<String> run(String... arguments) throws Exception {
        Path said = directory.resolve("said");
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(arguments));
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
