package io.firn.pages;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The Javadoc of each public type of the libraries shows how the type is used. */
class JavadocTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final List<String> MODULES =
            List.of(
                    "queue-core",
                    "tier-file",
                    "tier-pmem",
                    "migrator",
                    "queue-bytes",
                    "shadow",
                    "forward",
                    "netty-server",
                    "testing/junit",
                    "integrations/micrometer",
                    "integrations/spring-boot-starter");

    /** Of each module; without those that are exported to modules of Firn only. */
    private static final Pattern EXPORT = Pattern.compile("exports ([\\w.]+)\\s*;");

    private static final Pattern CODE =
            Pattern.compile("<pre>\\{@code\n(.*?)\\}</pre>", Pattern.DOTALL);

    private static final Pattern LINK = Pattern.compile("(?:@link|@linkplain|@see)\\s+([\\w.]+)");

    /** The comment of each public type, by its simple name. */
    private final Map<String, String> comments = new LinkedHashMap<>();

    JavadocTest() throws IOException {
        for (String module : MODULES) {
            for (Path file : PagesTest.filesBelow(ROOT.resolve(module + "/src/main"), ".java")) {
                String source = Files.readString(file);
                String type = file.getFileName().toString().replace(".java", "");
                Matcher declaration =
                        Pattern.compile(
                                        "(?m)^public .*\\b(class|interface|enum|record) "
                                                + type
                                                + "\\b")
                                .matcher(source);
                if (isExported(module, source) && declaration.find()) {
                    int begin = source.lastIndexOf("\n/**", declaration.start());
                    comments.put(
                            type, begin < 0 ? "" : source.substring(begin, declaration.start()));
                }
            }
        }
        assertTrue(comments.size() > 100, comments.keySet().toString());
    }

    /** The server's module-info is beside its sources, the extensions for JUnit have none. */
    private static boolean isExported(String module, String source) throws IOException {
        Matcher name = Pattern.compile("(?m)^package ([\\w.]+);").matcher(source);
        for (String directory : List.of("java", "module")) {
            Path info = ROOT.resolve(module + "/src/main/" + directory + "/module-info.java");
            if (Files.exists(info) && name.find()) {
                return EXPORT.matcher(Files.readString(info))
                        .results()
                        .anyMatch(each -> each.group(1).equals(name.group(1)));
            }
        }
        return name.find();
    }

    @Test
    void everyPublicTypeShouldHaveAnExampleOrALinkToOne() {
        List<String> flaws = new ArrayList<>();
        comments.forEach(
                (type, comment) -> {
                    boolean hasLink =
                            LINK.matcher(comment)
                                    .results()
                                    .map(each -> each.group(1).replaceFirst(".*\\.(?=[A-Z])", ""))
                                    .anyMatch(this::hasExample);
                    if (!hasExample(type) && !hasLink) {
                        flaws.add(type + ": add <pre>{@code …}</pre>, or @see a type that has it");
                    }
                });
        assertTrue(flaws.isEmpty(), () -> String.join("\n", flaws));
    }

    private boolean hasExample(String type) {
        return CODE.matcher(comments.getOrDefault(type, "")).find();
    }

    @Test
    void examplesShouldBeThoseThatAreCompiled() throws IOException {
        List<String> sources = new ArrayList<>();
        for (Path file : PagesTest.filesBelow(ROOT, ".java")) {
            String source = Files.readString(file).replaceAll("(?s)/\\*.*?\\*/", "");
            sources.add(PagesTest.bare(source));
        }
        List<String> flaws = new ArrayList<>();
        comments.forEach(
                (type, comment) ->
                        CODE.matcher(comment)
                                .results()
                                .map(each -> each.group(1).replaceAll("(?m)^ \\* ?", ""))
                                .filter(
                                        each ->
                                                sources.stream()
                                                        .noneMatch(
                                                                in -> PagesTest.hasAll(in, each)))
                                .forEach(
                                        each ->
                                                flaws.add(
                                                        type
                                                                + " is in no source, add it to JavadocCode:\n"
                                                                + each)));
        assertTrue(flaws.isEmpty(), () -> String.join("\n", flaws));
    }
}
