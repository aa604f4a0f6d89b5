package io.firn.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One change of Firn's code.
 *
 * @param rule the ordering rule, such as O1, or another word for the part of the code
 * @param file relative to the project's directory
 * @param before the text to be replaced, which occurs once in the file
 * @param after the replacement
 * @param tests classes, or class#method, one of which must fail
 * @param because why no test can notice the change; empty if one must
 */
record Mutant(
        String rule,
        String what,
        Path file,
        String before,
        String after,
        List<String> tests,
        String because) {

    /** Files whose call sites have no mutant, and why. */
    record Exempt(List<Path> files, String because) {}

    /** The parsed list. */
    record Catalogue(List<Mutant> mutants, List<Exempt> exempt) {}

    String name() {
        return rule + " " + what;
    }

    String module() {
        return file.getName(0).toString();
    }

    /** Returns the changed source. */
    String applyTo(String source) throws IOException {
        int at = source.indexOf(before);
        if (at < 0) {
            throw new IOException(name() + ": the lines to be changed are not in " + file);
        }
        if (source.indexOf(before, at + 1) >= 0) {
            throw new IOException(name() + ": the lines to be changed occur twice in " + file);
        }
        return source.substring(0, at) + after + source.substring(at + before.length());
    }

    /** Returns the numbers of the first and the last line that it changes, from 1. */
    int[] linesIn(String source) {
        int at = source.indexOf(before);
        int first = (int) source.substring(0, Math.max(at, 0)).lines().count();
        boolean midLine = at > 0 && source.charAt(at - 1) != '\n';
        first = midLine ? first : first + 1;
        return new int[] {first, first + (int) before.lines().count() - 1};
    }

    static Catalogue parse(List<String> lines) throws IOException {
        List<Mutant> mutants = new ArrayList<>();
        List<Exempt> exempt = new ArrayList<>();
        List<String> block = new ArrayList<>();
        List<String> all = new ArrayList<>(lines);
        all.add("==");
        for (String line : all) {
            boolean begins = line.startsWith("==") || line.startsWith("-- ");
            if (begins && !block.isEmpty()) {
                if (block.get(0).startsWith("==")) {
                    mutants.add(mutant(block));
                } else {
                    exempt.add(exempt(block));
                }
                block.clear();
            }
            if (begins || !block.isEmpty()) {
                block.add(line);
            }
        }
        return new Catalogue(List.copyOf(mutants), List.copyOf(exempt));
    }

    private static Mutant mutant(List<String> block) throws IOException {
        String[] title = block.get(0).substring(3).split(" ", 2);
        StringBuilder before = new StringBuilder();
        StringBuilder after = new StringBuilder();
        List<String> tests = new ArrayList<>();
        Path file = null;
        String because = "";
        for (String line : block.subList(1, block.size())) {
            if (line.startsWith("in ")) {
                file = source(line.substring(3));
            } else if (line.startsWith("-")) {
                before.append(line, 1, line.length()).append('\n');
            } else if (line.startsWith("+")) {
                after.append(line, 1, line.length()).append('\n');
            } else if (line.startsWith("by ")) {
                tests.addAll(List.of(line.substring(3).split(" ")));
            } else if (line.startsWith("because ")) {
                because = line.substring(8);
            } else if (!line.isBlank()) {
                throw new IOException("unknown line in mutants.txt: " + line);
            }
        }
        if (file == null || before.isEmpty() || tests.isEmpty()) {
            throw new IOException(block.get(0) + ": file, lines or tests are missing");
        }
        boolean wholeLines = before.charAt(0) == ' ';
        String from = wholeLines ? before.toString() : before.toString().strip();
        String to = wholeLines ? after.toString() : after.toString().strip();
        return new Mutant(title[0], title[1], file, from, to, List.copyOf(tests), because);
    }

    private static Exempt exempt(List<String> block) {
        List<Path> files = new ArrayList<>();
        String because = "";
        for (String line : block) {
            if (line.startsWith("in ")) {
                files.add(source(line.substring(3)));
            } else if (line.startsWith("because ")) {
                because = line.substring(8);
            }
        }
        return new Exempt(List.copyOf(files), because);
    }

    /** Returns the path for the short form MODULE/PACKAGE/CLASS. */
    private static Path source(String name) {
        int slash = name.indexOf('/');
        return Path.of(name.substring(0, slash), "src/main/java", name.substring(slash + 1));
    }

    String readFrom(Path root) throws IOException {
        return Files.readString(root.resolve(file));
    }
}
