package io.firn.pages;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.firn.help.GeneratedPart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pages for looking up have what the sources have. */
class ReferencePagesTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /** A method of an interface of metrics, with its Javadoc. */
    private static final Pattern METRIC =
            Pattern.compile(
                    "/\\*\\*((?:(?!\\*/).)*)\\*/\\s+(?:default )?[\\w.<>, ]+ (\\w+)\\(\\)",
                    Pattern.DOTALL);

    private static final Pattern KIND =
            Pattern.compile(
                    "/\\*\\*((?:(?!\\*/).)*)\\*/\\s+([A-Z_]{4,})\\(Severity\\.([A-Z]+)\\)",
                    Pattern.DOTALL);

    @ParameterizedTest
    @CsvSource({
        "StoreMetrics, queue-core/src/main/java/io/firn/StoreMetrics.java",
        "TierMetrics, queue-core/src/main/java/io/firn/StoreMetrics.java",
        "TransactionMetrics, queue-core/src/main/java/io/firn/StoreMetrics.java",
        "PartitionMetrics, queue-core/src/main/java/io/firn/PartitionReader.java",
        "CompactionMetrics, queue-core/src/main/java/io/firn/PartitionReader.java",
        "CursorMetrics, queue-core/src/main/java/io/firn/CursorReader.java",
        "ServerMetricsMXBean, netty-server/src/main/java/io/firn/server/ServerMetricsMXBean.java",
        "MigratorMetricsMXBean,"
                + " netty-server/src/main/java/io/firn/server/MigratorMetricsMXBean.java"
    })
    void shouldListTheMetrics(String type, String file) throws IOException {
        StringBuilder table = new StringBuilder("| metric | meaning |\n|---|---|\n");
        Matcher matcher = METRIC.matcher(bodyOf(type, Files.readString(ROOT.resolve(file))));
        while (matcher.find()) {
            String name = matcher.group(2);
            if (type.endsWith("MXBean")) {
                name = name.replaceFirst("^(get|is)(?=[A-Z])", "");
            }
            table.append("| `" + name + "` | " + firstSentence(matcher.group(1)) + " |\n");
        }
        assertFalse(table.toString().lines().count() < 4, type);
        GeneratedPart.check("docs/reference/metrics.md", type, table.toString());
    }

    /** The first sentence of a kind's Javadoc says what it is, the others what to do. */
    @Test
    void shouldListTheKindsOfFindings() throws IOException {
        StringBuilder table =
                new StringBuilder(
                        "| kind | severity | meaning | what to do |\n|---|---|---|---|\n");
        String source =
                Files.readString(ROOT.resolve("queue-core/src/main/java/io/firn/Finding.java"));
        Matcher kind = KIND.matcher(source);
        while (kind.find()) {
            String[] sentences = plain(kind.group(1)).split("\\. ", 2);
            String remedy = sentences[1].replaceFirst("\\.$", "");
            table.append(
                    String.format(
                            "| `%s` | %s | %s | %s |%n",
                            kind.group(2),
                            kind.group(3).toLowerCase(Locale.ROOT),
                            sentences[0],
                            remedy));
        }
        GeneratedPart.check("docs/operations/findings.md", "findings", table.toString());
    }

    /** Without what is nested in the type. */
    private static String bodyOf(String type, String source) {
        int from = source.indexOf("interface " + type + " {");
        String indent = source.substring(source.lastIndexOf('\n', from) + 1, from);
        indent = indent.substring(0, indent.length() - indent.stripLeading().length());
        int to = source.indexOf("\n" + indent + "}", from);
        String body = source.substring(from, to);
        int nested = body.indexOf("\n" + indent + "    interface ");
        return nested < 0 ? body : body.substring(0, body.lastIndexOf("/**", nested));
    }

    private static String firstSentence(String javadoc) {
        return plain(javadoc).replaceFirst("^Returns ", "").replaceFirst("(?s)\\.( .*)?$", "");
    }

    private static String plain(String javadoc) {
        return javadoc.replaceAll("\\s*\\n\\s*\\*?\\s*", " ")
                .replaceAll("\\{@(?:link|code) ([^}]*)\\}", "`$1`")
                .replaceAll("`(?:io\\.firn\\.)?([\\w.]*)#(\\w+)(?:\\([^`]*\\))?`", "`$1.$2`")
                .replaceAll("`\\.(?=\\w)", "`")
                .strip();
    }

    /** Those for users; CONTRIBUTING.md has those for developers. */
    @Test
    void shouldShowTheHelpOfEachCommand() throws IOException {
        Path help = ROOT.resolve("bin/lib/help");
        Map<String, HelpText> commands = new LinkedHashMap<>();
        try (var files = Files.list(help.resolve("firn"))) {
            for (Path each : files.sorted().toList()) {
                String name = "firn " + each.getFileName().toString().replace('-', ' ');
                commands.put(name.replace("firn firn", "firn"), new HelpText(each));
            }
        }
        commands.put("bin/hello", new HelpText(help.resolve("hello")));
        commands.put("bin/example", new HelpText(help.resolve("example")));
        commands.put("bin/example Replay", new HelpText(help.resolve("replay")));
        Map<String, String> shared = sharedArguments(commands.values());
        StringBuilder text = new StringBuilder("## Arguments of several commands\n\n");
        text.append(HelpText.table(shared)).append("\n\n");
        commands.forEach(
                (name, command) ->
                        text.append("## " + name + "\n\n" + command.section(shared) + "\n\n"));
        GeneratedPart.check("docs/reference/cli.md", "commands", text.toString());
    }

    /** Arguments that several commands explain in the same words. */
    private static Map<String, String> sharedArguments(Collection<HelpText> commands) {
        Map<Map.Entry<String, String>, Integer> counts = new LinkedHashMap<>();
        commands.forEach(
                each ->
                        each.arguments()
                                .entrySet()
                                .forEach(
                                        one ->
                                                counts.merge(
                                                        Map.entry(one.getKey(), one.getValue()),
                                                        1,
                                                        Integer::sum)));
        Map<String, String> shared = new LinkedHashMap<>();
        counts.forEach(
                (argument, count) -> {
                    if (count > 1) {
                        shared.put(argument.getKey(), argument.getValue());
                    }
                });
        return shared;
    }
}
