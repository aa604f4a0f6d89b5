package io.firn.pages;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The commands of the directory bin, and the options that their help names. */
final class Commands {
    /** Commands that have commands of their own. */
    private static final Set<String> WITH_COMMANDS = Set.of("firn", "check", "bench");

    private static final Set<String> PLACEHOLDERS = Set.of("NAME", "COMMAND", "…", "...");

    private Commands() {}

    /**
     * Returns what is wrong with a command line; null if nothing is, or if it is another program.
     */
    static String flawOf(Path root, String line) {
        String command = line.replaceFirst("^\\$ ", "").replaceFirst("\\s+#.*", "");
        if (!command.matches("bin/(?!lib/)[a-z].*")) {
            return null;
        }
        List<String> words = Arrays.asList(command.split("\\s+"));
        String name = words.get(0).substring("bin/".length());
        if (!Files.isExecutable(root.resolve("bin").resolve(name))) {
            return "there is no command " + name;
        }
        Path help = root.resolve("bin/lib/help").resolve(name);
        if (WITH_COMMANDS.contains(name)) {
            if (words.size() == 1
                    || PLACEHOLDERS.contains(words.get(1))
                    || words.get(1).startsWith("-")) {
                return null;
            }
            Path script = root.resolve("bin/lib").resolve(name).resolve(words.get(1));
            help = help.resolve(words.get(1));
            if (words.size() > 2 && words.get(2).matches("[a-z]+")) { // a command of this one
                Path inner = help.resolveSibling(words.get(1) + "-" + words.get(2));
                help = Files.exists(inner) ? inner : help;
            }
            if (!Files.exists(help) && Files.isExecutable(script)) {
                help = script; // which has the text of its help
            } else if (!Files.exists(help)) {
                return "there is no command " + words.get(1);
            }
        } else if (name.equals("example") && words.contains("Replay")) {
            help = help.resolveSibling("replay");
        }
        String text = read(help);
        return words.stream()
                .takeWhile(each -> !each.matches("[|&;<>].*"))
                .filter(each -> each.startsWith("--") && !each.equals("--help"))
                .map(each -> each.replaceFirst("=.*", ""))
                .filter(
                        each ->
                                !Pattern.compile(Pattern.quote(each) + "(?![\\w-])")
                                        .matcher(text)
                                        .find())
                .findFirst()
                .map(each -> "there is no option " + each)
                .orElse(null);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
