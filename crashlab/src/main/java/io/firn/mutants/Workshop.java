package io.firn.mutants;

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
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles mutants, and runs tests with one of them in front of the class path. */
final class Workshop {
    private static final List<String> MODULES =
            List.of("queue-core", "tier-file", "tier-pmem", "migrator", "crashlab");
    private static final int SECONDS = 400;

    /** At the end of what {@link #run} returns when a test took too long: nobody knows why. */
    static final String HUNG = ", which did not end";

    private final Path scratch;
    private final Path root;
    private final String classPath;
    private int compiled;

    Workshop(Path root, Path scratch) throws IOException {
        this.root = root;
        this.scratch = scratch;
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

    /** Returns the directory with the changed class. */
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

    /**
     * Runs a class of tests.
     *
     * @param mutant put before everything else; null for none
     * @return what failed; null when all passed
     */
    String run(String test, Path mutant) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        String first = mutant == null ? "" : mutant + File.pathSeparator;
        command.addAll(
                List.of(
                        "-Xmx1g",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1", // most end before more would pay
                        // Temporary directories of tests that are ended half-way go with the
                        // scratch.
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
        if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
            return test + HUNG;
        }
        return switch (process.exitValue()) {
            case 0 -> null;
            case RunTests.NONE_FOUND -> throw new IOException("there is no test " + test);
            case RunTests.FAILED -> test + ": " + firstFailure(output);
            default -> test + ", whose JVM ended with " + process.exitValue();
        };
    }

    private static String firstFailure(Path output) throws IOException {
        return Files.readAllLines(output).stream()
                .filter(each -> each.startsWith(RunTests.PREFIX))
                .map(each -> each.substring(RunTests.PREFIX.length()))
                .findFirst()
                .orElse("?");
    }
}
