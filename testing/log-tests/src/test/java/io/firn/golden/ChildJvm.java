package io.firn.golden;

import static io.firn.api.Waiting.HANGS_AFTER_S;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A program in a JVM like this one. */
final class ChildJvm {
    private ChildJvm() {}

    /** How a program ended and what it said. */
    record Ended(int status, List<String> out, List<String> err) {}

    /** Runs a main class with the entries of this JVM's class path that are wanted. */
    static Ended run(
            Path directory, Predicate<String> classPath, Class<?> main, List<String> arguments)
            throws IOException, InterruptedException {
        return run(directory, List.of(), classPath, main, arguments);
    }

    /** As {@link #run}, with a class path. */
    static Ended run(Path directory, String classPath, Class<?> main, List<String> arguments)
            throws IOException, InterruptedException {
        return run(directory, List.of(), classPath, main, arguments);
    }

    /** As {@link #run}, with more options of the JVM. */
    static Ended run(
            Path directory,
            List<String> options,
            Predicate<String> classPath,
            Class<?> main,
            List<String> arguments)
            throws IOException, InterruptedException {
        return run(directory, options, wanted(classPath), main, arguments);
    }

    private static Ended run(
            Path directory,
            List<String> options,
            String classPath,
            Class<?> main,
            List<String> arguments)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile(directory, "child", ".out");
        Path err = Files.createTempFile(directory, "child", ".err");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main.getName()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        // What these say would come before the child's own words.
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().remove("JDK_JAVA_OPTIONS");
        Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        try {
            process.getOutputStream().close();
            if (!process.waitFor(HANGS_AFTER_S, TimeUnit.SECONDS)) {
                throw new AssertionError("still running after " + HANGS_AFTER_S + " s: " + command);
            }
        } finally {
            process.destroyForcibly();
        }
        return new Ended(process.exitValue(), lines(out), lines(err));
    }

    private static String wanted(Predicate<String> classPath) {
        String separator = System.getProperty("path.separator");
        return Arrays.stream(System.getProperty("java.class.path").split(separator))
                .filter(classPath)
                .collect(Collectors.joining(separator));
    }

    private static List<String> lines(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8).lines().toList();
    }
}
