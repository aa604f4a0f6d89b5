package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Writes a manual page, for {@code man}, of {@code firn} and of each of its subcommands. The
 * generator of picocli writes AsciiDoc, of which only Asciidoctor (JRuby) makes such pages.
 */
public final class ManPages {
    private final Path directory;
    private final String version;

    private ManPages(Path directory, String version) {
        this.directory = directory;
        this.version = version;
    }

    /**
     * Writes the pages.
     *
     * @param arguments the directory for them, and the version that they name
     */
    public static void main(String[] arguments) throws IOException {
        Path directory = Files.createDirectories(Path.of(arguments[0]));
        new ManPages(directory, arguments[1]).write(Firn.commandLine());
    }

    private void write(CommandLine line) throws IOException {
        Files.writeString(directory.resolve(name(line) + ".1"), page(line), UTF_8);
        for (CommandLine each : line.getSubcommands().values()) {
            write(each);
        }
    }

    private static String name(CommandLine line) {
        return line.getCommandSpec().qualifiedName("-");
    }

    private String page(CommandLine line) {
        CommandSpec spec = line.getCommandSpec();
        Help help = line.getHelp();
        List<String> description = new ArrayList<>(texts(spec.usageMessage().description()));
        List<String> footer = new ArrayList<>(texts(spec.usageMessage().footer()));
        footer.stream().filter(each -> !isOfExitCodes(each)).forEach(description::add);
        footer.removeIf(each -> !isOfExitCodes(each));
        if (line.getParent() != null) {
            footer.add(Exit.WORDS);
        }
        StringBuilder page = new StringBuilder();
        // Without a date: two builds are equal.
        page.append(".TH \"%s\" 1 \"\" \"Firn %s\" \"Firn\"\n".formatted(title(line), version));
        page.append(".SH NAME\n" + escaped(name(line)) + " \\- ");
        page.append(escaped(description.remove(0).replaceFirst("\\.$", "")) + "\n");
        page.append(".SH SYNOPSIS\n.nh\n.ad l\n");
        page.append(escaped(help.synopsis(0).replaceAll("\\s+", " ").strip()) + "\n.ad b\n.hy\n");
        paragraphs("DESCRIPTION", description, page);
        arguments(spec, help, page);
        subcommands(line, page);
        paragraphs("EXIT STATUS", footer, page);
        if (line.getParent() != null) {
            page.append(".SH SEE ALSO\n" + reference(line.getParent()) + "\n");
        }
        return page.toString();
    }

    private static boolean isOfExitCodes(String text) {
        return text.startsWith("Exit code");
    }

    private static void paragraphs(String heading, List<String> texts, StringBuilder page) {
        if (!texts.isEmpty()) {
            page.append(".SH " + heading + "\n");
            texts.forEach(each -> page.append(".PP\n" + escaped(each) + "\n"));
        }
    }

    private static String title(CommandLine line) {
        return name(line).toUpperCase(Locale.ROOT);
    }

    private static void arguments(CommandSpec spec, Help help, StringBuilder page) {
        page.append(".SH OPTIONS\n");
        for (PositionalParamSpec each : spec.positionalParameters()) {
            item(label(each, help), each, page);
        }
        for (OptionSpec each : spec.options()) {
            String label = each.arity().max() == 0 ? "" : label(each, help);
            item(String.join(", ", each.names()) + label, each, page);
        }
    }

    private static String label(ArgSpec argument, Help help) {
        return help.parameterLabelRenderer()
                .renderParameterLabel(argument, Ansi.OFF, List.of())
                .toString();
    }

    private static void item(String name, ArgSpec argument, StringBuilder page) {
        page.append(".TP\n.B " + escaped(name.strip()) + "\n");
        page.append(escaped(String.join(" ", texts(argument.description()))) + "\n");
    }

    private static void subcommands(CommandLine line, StringBuilder page) {
        if (line.getSubcommands().isEmpty()) {
            return;
        }
        page.append(".SH COMMANDS\n");
        for (CommandLine each : line.getSubcommands().values()) {
            List<String> description = texts(each.getCommandSpec().usageMessage().description());
            page.append(".TP\n" + reference(each) + "\n" + escaped(description.get(0)) + "\n");
        }
    }

    private static String reference(CommandLine line) {
        return ".BR " + escaped(name(line)) + " (1)";
    }

    private static List<String> texts(String... lines) {
        return Arrays.stream(lines)
                .map(each -> Ansi.OFF.string(each.formatted()).strip())
                .filter(each -> !each.isEmpty())
                .toList();
    }

    /** Returns text in which troff sees nothing but text. */
    private static String escaped(String text) {
        String escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq");
        return escaped.startsWith(".") ? "\\&" + escaped : escaped;
    }
}
