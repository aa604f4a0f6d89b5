package io.firn.pages;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What holds for every page: its length, its language, its links, and that what it shows is real.
 *
 * <p>CONTRIBUTING.md has the conventions for writers.
 */
class PagesTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /** No page is longer than its reader has patience; words outside of code. */
    private static final Map<String, Integer> MOST_WORDS = mostWords();

    private static final int MOST_WORDS_OF_A_SENTENCE = 35;

    private static final long MOST_BYTES = 225_280;

    /** What a native engineer would notice, and what to write instead. */
    private static final Map<Pattern, String> FOREIGN =
            foreign(
                    """
                    who|whoever|whom -> that, which, or the noun
                    nobody|somebody|everybody -> no client, a client, every process
                    told|tells -> notified, reports, shows
                    in vain -> unsuccessfully, without success
                    so many|so much -> the number
                    behind|beside -> after, while, next to
                    what (was|is|has|were|are) -> the noun: the records that were acknowledged
                    lies|lie|stands -> is
                    """);

    /** Sentences that may use these words, each with its reason. */
    private static final Map<String, String> MAY =
            exceptions(
                    """
                    CONTRIBUTING.md: An error message says what was expected -> an indirect question
                    docs/operations/how-to-lose-data.md: A disk that lies -> a device that reports what is not so
                    """);

    private static final List<Page> PAGES = pages();

    private static Map<String, Integer> mostWords() {
        Map<String, Integer> most = new LinkedHashMap<>();
        most.put("README.md", 900);
        most.put("CONTRIBUTING.md", 1_200);
        most.put("SECURITY.md", 1_500);
        most.put("CHANGELOG.md", 900);
        most.put("docs/internals/architecture.md", 3_000);
        for (String each : List.of("getting-started", "concepts", "guarantees")) {
            most.put("docs/" + each + ".md", 900);
        }
        for (String each : List.of("compare", "performance", "reliability")) {
            most.put("docs/" + each + ".md", 1_200);
        }
        most.put("docs/from-chronicle-queue.md", 1_200);
        for (String module : List.of("netty-server", "queue-bytes")) {
            most.put(module + "/README.md", 400);
        }
        most.put("docs/guide/", 700);
        most.put("docs/operations/platforms.md", 700);
        most.put("docs/operations/", 600);
        most.put("docs/reference/", Integer.MAX_VALUE); // for looking up
        most.put("docs/internals/", 3_000);
        return most;
    }

    @Test
    void noPageShouldBeLongerThanItsReaderHasPatience() {
        List<String> flaws = new ArrayList<>();
        for (Page page : PAGES) {
            String name = name(page.file());
            Integer most = MOST_WORDS.get(name);
            if (most == null) {
                most = MOST_WORDS.get(name.substring(0, name.lastIndexOf('/') + 1));
            }
            if (most == null) {
                flaws.add(name + " has no place in the plan of the pages: see MOST_WORDS");
            } else if (page.words() > most) {
                flaws.add(name + " has " + page.words() + " words, may have " + most);
            }
        }
        check(flaws);
    }

    /** Without what is generated. */
    @Test
    void allPagesTogetherShouldStaySmall() {
        long bytes = PAGES.stream().mapToLong(Page::writtenBytes).sum();
        assertTrue(bytes <= MOST_BYTES, () -> bytes + " bytes of " + MOST_BYTES);
    }

    @Test
    void sentencesShouldBeShortEnoughToBeReadOnce() {
        List<String> flaws = new ArrayList<>();
        forEachSentence(
                (where, sentence) -> {
                    int words = Page.words(sentence.replaceAll("`[^`]*`", "code"));
                    if (words > MOST_WORDS_OF_A_SENTENCE) {
                        flaws.add(where + words + " words: " + sentence);
                    }
                });
        check(flaws);
    }

    @Test
    void pagesShouldBeInPlainEnglish() {
        List<String> flaws = new ArrayList<>();
        forEachSentence(
                (where, sentence) ->
                        FOREIGN.forEach(
                                (word, instead) -> {
                                    Matcher matcher =
                                            word.matcher(sentence.replaceAll("`[^`]*`", "`"));
                                    if (matcher.find() && !isAllowed(where, sentence)) {
                                        flaws.add(
                                                String.format(
                                                        "%s\"%s\" (write: %s): %s",
                                                        where, matcher.group(), instead, sentence));
                                    }
                                }));
        check(flaws);
    }

    private static boolean isAllowed(String where, String sentence) {
        return MAY.keySet().stream()
                .map(each -> each.split(": ", 2))
                .anyMatch(each -> where.startsWith(each[0]) && sentence.contains(each[1]));
    }

    @Test
    void linksShouldLeadSomewhere() {
        List<String> flaws = new ArrayList<>();
        for (Page page : PAGES) {
            for (String link : page.links()) {
                if (!link.matches("[a-z]+:.*") && !isThere(page, link)) {
                    flaws.add(name(page.file()) + " links to " + link);
                }
            }
            for (String reference : page.undefinedReferences()) {
                flaws.add(name(page.file()) + " does not define the link " + reference);
            }
        }
        check(flaws);
    }

    private static boolean isThere(Page from, String link) {
        int hash = link.indexOf('#');
        String path = hash < 0 ? link : link.substring(0, hash);
        Path file = path.isEmpty() ? from.file() : from.file().resolveSibling(path).normalize();
        return Files.exists(file)
                && (hash < 0 || new Page(file).anchors().contains(link.substring(hash + 1)));
    }

    @Test
    void javaShouldBeThatOfAnExampleThatIsCompiled() throws IOException {
        Map<Path, String> sources = new TreeMap<>();
        for (Path each : filesBelow(ROOT.resolve("examples"), ".java")) {
            sources.put(each, bare(Files.readString(each)));
        }
        List<String> flaws = new ArrayList<>();
        for (Page page : PAGES) {
            for (Page.Block block : page.blocks()) {
                if (block.language().equals("java")
                        && sources.values().stream()
                                .noneMatch(each -> hasAll(each, block.code()))) {
                    flaws.add(where(page, block.line()) + "is in no example:\n" + block.code());
                }
            }
        }
        check(flaws);
    }

    /** A block may leave out lines, where it has a line with dots. */
    static boolean hasAll(String source, String code) {
        return Stream.of(code.split("(?m)^\\s*(// )?(\\.\\.\\.|…)\\s*$"))
                .allMatch(each -> source.contains(bare(each)));
    }

    static String bare(String code) {
        return code.replaceAll("(?m)//.*$", "").replaceAll("\\s+", "");
    }

    @Test
    void codeShouldSayItsLanguage() {
        Set<String> known =
                Set.of("java", "sh", "xml", "kotlin", "groovy", "properties", "json", "text");
        List<String> flaws = new ArrayList<>();
        for (Page page : PAGES) {
            for (Page.Block block : page.blocks()) {
                if (!known.contains(block.language())) {
                    flaws.add(where(page, block.line()) + "\"" + block.language() + "\": " + known);
                }
            }
        }
        check(flaws);
    }

    @Test
    void commandsShouldExistAndHaveTheOptionsThatAreShown() {
        List<String> flaws = new ArrayList<>();
        for (Page page : PAGES) {
            List<String> shown = new ArrayList<>(page.inlineCode());
            for (Page.Block block : page.blocks()) {
                if (block.language().equals("sh")) {
                    shown.addAll(List.of(block.code().replace("\\\n", " ").split("\n")));
                }
            }
            for (String each : shown) {
                String flaw = Commands.flawOf(ROOT, each.strip());
                if (flaw != null) {
                    flaws.add(name(page.file()) + ": " + each + ": " + flaw);
                }
            }
        }
        check(flaws);
    }

    @Test
    void namesOfJavaShouldBeThoseOfTheSources() throws IOException {
        SourceNames names = new SourceNames(ROOT);
        List<String> flaws = new ArrayList<>();
        for (Page page : PAGES) {
            for (String each : page.inlineCode()) {
                if (!names.has(each)) {
                    flaws.add(name(page.file()) + ": " + each);
                }
            }
        }
        check(flaws);
    }

    // ---- tools

    private interface Look {
        void at(String where, String sentence);
    }

    private static void forEachSentence(Look look) {
        for (Page page : PAGES) {
            for (Page.Passage passage : page.passages()) {
                for (String sentence : passage.sentences()) {
                    look.at(where(page, passage.line()), sentence);
                }
            }
        }
    }

    private static String where(Page page, int line) {
        return name(page.file()) + ":" + line + ": ";
    }

    private static String name(Path file) {
        return ROOT.relativize(file).toString();
    }

    private static void check(List<String> flaws) {
        assertTrue(flaws.isEmpty(), () -> flaws.size() + ":\n" + String.join("\n", flaws));
    }

    private static List<Page> pages() {
        try {
            return filesBelow(ROOT, ".md").stream().map(Page::new).toList();
        } catch (IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static List<Path> filesBelow(Path directory, String end) throws IOException {
        try (Stream<Path> files =
                Files.find(
                        directory,
                        20,
                        (path, attributes) ->
                                path.toString().endsWith(end)
                                        && !path.toString().contains("/target/")
                                        && !path.toString().contains("/."))) {
            return files.sorted().toList();
        }
    }

    private static Map<Pattern, String> foreign(String lines) {
        Map<Pattern, String> foreign = new LinkedHashMap<>();
        exceptions(lines)
                .forEach(
                        (words, instead) ->
                                foreign.put(
                                        Pattern.compile(
                                                "\\b(" + words + ")\\b", Pattern.CASE_INSENSITIVE),
                                        instead));
        return foreign;
    }

    private static Map<String, String> exceptions(String lines) {
        Map<String, String> exceptions = new LinkedHashMap<>();
        for (String line : lines.lines().toList()) {
            String[] parts = line.split(" -> ", 2);
            exceptions.put(parts[0], parts[1]);
        }
        return exceptions;
    }
}
