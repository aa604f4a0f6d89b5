package io.firn.mutants;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles mutants and runs tests with a mutant at the front of the class path. */
final class Workshop {
    private static final List<String> MODULES =
            List.of(
                    "queue-core",
                    "testing/support",
                    "tier-file",
                    "tier-pmem",
                    "migrator",
                    "netty-server",
                    "shadow",
                    "forward",
                    "testing/log-tests",
                    "testing/crashlab");

    /** The limit for a test is its duration without a mutant, times this, plus some seconds. */
    private static final int TIMES = 6;

    private static final int MORE_SECONDS = 30;
    private static final int MOST_SECONDS = 400;
    private static final String BASELINE = "unchanged ";

    private final Path scratch;
    private final Path root;
    private final String classPath;
    private final Results results;
    private int compiled;

    /**
     * Creates a workshop.
     *
     * @param results stores how long the tests take on the unchanged classes
     */
    Workshop(Path root, Path scratch, Results results) throws IOException {
        this.root = root;
        this.scratch = scratch;
        this.results = results;
        Set<String> entries = new LinkedHashSet<>();
        for (String module : MODULES) {
            Path target = root.resolve(module).resolve("target");
            entries.add(target.resolve("classes").toString());
            entries.add(target.resolve("test-classes").toString());
        }
        for (String module : MODULES) {
            Path path = root.resolve(module).resolve("target/test-classpath");
            if (Files.exists(path)) {
                entries.addAll(List.of(Files.readString(path).strip().split(File.pathSeparator)));
            }
        }
        this.classPath = String.join(File.pathSeparator, entries);
    }

    /** Compiles a mutant; returns the directory with the changed class. */
    Path compile(Mutant mutant) throws IOException {
        String name = mutant.file().getFileName().toString();
        Path directory = Files.createDirectories(scratch.resolve("mutant" + compiled++));
        Path source = Files.createDirectories(directory.resolve("source")).resolve(name);
        Path classes = Files.createDirectories(directory.resolve("classes"));
        Files.writeString(source, mutant.applyTo(mutant.readFrom(root)));
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = javac.getStandardFileManager(null, null, null)) {
            List<String> options =
                    List.of(
                            "-proc:none",
                            "-nowarn",
                            "--release",
                            "17",
                            "-cp",
                            classPath,
                            "-d",
                            classes.toString());
            boolean done =
                    javac.getTask(
                                    messages,
                                    files,
                                    null,
                                    options,
                                    null,
                                    files.getJavaFileObjects(source.toFile()))
                            .call();
            if (!done) {
                throw new IOException(mutant.name() + " does not compile: " + messages);
            }
        }
        return classes;
    }

    /** Returns a checksum over all classes that are run. */
    static String state(Path root) throws IOException {
        CRC32C crc = new CRC32C();
        for (String module : MODULES) {
            for (String kind : List.of("classes", "test-classes")) {
                Path directory = root.resolve(module).resolve("target").resolve(kind);
                if (Files.notExists(directory)) {
                    continue;
                }
                try (Stream<Path> walk = Files.walk(directory)) {
                    for (Path file : walk.filter(Files::isRegularFile).sorted().toList()) {
                        crc.update(root.relativize(file).toString().getBytes(UTF_8));
                        crc.update(Files.readAllBytes(file));
                    }
                }
            }
        }
        return Long.toHexString(crc.getValue());
    }

    /**
     * Runs a class of tests on the mutant.
     *
     * @return what failed; null when all passed
     * @throws IOException if the test also fails without a mutant
     */
    String run(String test, Path mutant) throws IOException, InterruptedException {
        long unchangedSeconds = secondsUnchanged(test);
        long limit = TIMES * unchangedSeconds + MORE_SECONDS;
        Outcome outcome = run(test, mutant, limit);
        return outcome.ended
                ? outcome.failed
                : String.format(
                        "%s, which did not end within %d s; without the mutant it takes %d s",
                        test, limit, unchangedSeconds);
    }

    private long secondsUnchanged(String test) throws IOException, InterruptedException {
        String known = results.of(BASELINE + test);
        if (known != null) {
            return Long.parseLong(known);
        }
        long started = System.nanoTime();
        Outcome outcome = run(test, null, MOST_SECONDS);
        if (!outcome.ended || outcome.failed != null) {
            throw new IOException(test + " fails without a mutant: " + outcome.failed);
        }
        long seconds = 1 + (System.nanoTime() - started) / 1_000_000_000;
        results.add(BASELINE + test, Long.toString(seconds));
        return seconds;
    }

    /**
     * The outcome of a test.
     *
     * @param failed null when all passed
     */
    private record Outcome(boolean ended, String failed) {}

    private Outcome run(String test, Path mutant, long seconds)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        String first = mutant == null ? "" : mutant + File.pathSeparator;
        command.addAll(
                List.of(
                        "-Xmx1g",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1", // most tests end before C2 would pay off
                        // So that temporary directories of killed tests are deleted too.
                        "-Djava.io.tmpdir=" + scratch,
                        "-cp",
                        first + classPath,
                        RunTests.class.getName(),
                        test));
        Path output = Files.createTempFile(scratch, "output", "");
        Process process =
                new ProcessBuilder(command)
                        .directory(scratch.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
            return new Outcome(false, null);
        }
        String failed =
                switch (process.exitValue()) {
                    case 0 -> null;
                    case RunTests.NONE_FOUND -> throw new IOException("there is no test " + test);
                    case RunTests.FAILED -> test + ": " + firstFailure(output);
                    default -> test + ", whose JVM ended with " + process.exitValue();
                };
        return new Outcome(true, failed);
    }

    private static String firstFailure(Path output) throws IOException {
        return Files.readAllLines(output).stream()
                .filter(each -> each.startsWith(RunTests.PREFIX))
                .map(each -> each.substring(RunTests.PREFIX.length()))
                .findFirst()
                .orElse("?");
    }
}
