package io.firn.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The help of a command: its usage, paragraphs, and arguments with their meaning. */
final class HelpText {
    /** An argument is indented less than the lines that continue its meaning. */
    private static final Pattern ARGUMENT =
            Pattern.compile(" {1,9}(-\\w, --\\S+|\\S+)(?: +(\\S.*))?");

    private static final Pattern MORE = Pattern.compile(" {10,}(\\S.*)");

    private final List<String> before = new ArrayList<>();
    private final List<String> after = new ArrayList<>();
    private final Map<String, String> arguments = new LinkedHashMap<>();
    private String usage;

    HelpText(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        int next = 1;
        usage = lines.get(0).replaceFirst("Usage: ", "");
        while (lines.get(next).startsWith(" ")) {
            usage += " " + lines.get(next++).strip();
        }
        String argument = null;
        StringBuilder paragraph = new StringBuilder();
        for (String line : lines.subList(next, lines.size())) {
            Matcher more = MORE.matcher(line);
            Matcher begin = ARGUMENT.matcher(line);
            if (argument != null && more.matches()) {
                arguments.merge(argument, more.group(1), HelpText::joined);
            } else if (begin.matches()) {
                end(paragraph);
                argument = begin.group(1);
                arguments.put(argument, begin.group(2) == null ? "" : begin.group(2));
            } else if (line.isBlank()) {
                end(paragraph);
            } else if (!line.endsWith(":")) {
                paragraph.append(line.strip()).append(' ');
            }
        }
        end(paragraph);
    }

    private static String joined(String some, String more) {
        boolean isInOneWord = some.isEmpty() || some.matches(".*(file|\\d):"); // the line was cut
        return some + (isInOneWord ? "" : " ") + more;
    }

    private void end(StringBuilder paragraph) {
        if (!paragraph.isEmpty()) {
            (arguments.isEmpty() ? before : after).add(paragraph.toString().strip());
            paragraph.setLength(0);
        }
    }

    /** By name, in their order; without {@code --help}, which all commands have. */
    Map<String, String> arguments() {
        Map<String, String> all = new LinkedHashMap<>(arguments);
        all.keySet().removeIf(each -> each.endsWith("--help"));
        return all;
    }

    /** The command with the arguments that it needs, in the order in which they are given. */
    private String synopsis() {
        String needed =
                usage.replaceAll("\\[-[^\\[\\]]*(\\[[^\\]]*\\][^\\[\\]]*)*\\](\\.\\.\\.)? ?", "");
        return needed.strip();
    }

    /** The text as a section of a page, without arguments that are explained elsewhere. */
    String section(Map<String, String> elsewhere) {
        Map<String, String> own = arguments();
        own.entrySet().removeAll(elsewhere.entrySet());
        String table = own.isEmpty() ? "" : table(own);
        return Stream.of(
                        Stream.of("`" + synopsis() + "`"),
                        before.stream(),
                        Stream.of(table),
                        after.stream())
                .flatMap(each -> each)
                .filter(each -> !each.isEmpty())
                .collect(Collectors.joining("\n\n"));
    }

    static String table(Map<String, String> arguments) {
        return arguments.entrySet().stream()
                .map(each -> "| " + code(each.getKey()) + " | " + each.getValue() + " |")
                .collect(Collectors.joining("\n", "| argument | meaning |\n|---|---|\n", ""));
    }

    /** Choices become words, since a bar would end the cell of the table. */
    private static String code(String name) {
        return "`" + name.replace("|", "` or `") + "`";
    }
}
