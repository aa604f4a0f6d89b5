package io.firn.pages;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page in Markdown: its prose, its code and its links. */
final class Page {
    private static final Pattern INLINE = Pattern.compile("`([^`]+)`");
    private static final Pattern LINK = Pattern.compile("!?\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
    private static final Pattern REFERENCE = Pattern.compile("\\]\\[([^\\]]+)\\]");
    private static final Pattern DEFINITION = Pattern.compile("\\[([^\\]]+)\\]: \\S+");
    private static final Pattern END = Pattern.compile("(?<=[.!?])[)\"]*\\s+|\\s+→\\s+");

    /** Code of several lines, with the language that its fence names. */
    record Block(String language, String code, int line) {}

    /** A heading, a paragraph, an item of a list, or a cell of a table. */
    record Passage(String text, int line) {

        /** Steps between arrows are sentences, too. */
        List<String> sentences() {
            return List.of(END.split(text));
        }
    }

    private final Path file;
    private final List<Block> blocks = new ArrayList<>();
    private final List<Passage> passages = new ArrayList<>();
    private final Set<String> anchors = new TreeSet<>();
    private final Set<String> defined = new TreeSet<>();
    private final BitSet generated = new BitSet();

    Page(Path file) {
        this.file = file;
        parse(read().lines().toList());
    }

    Path file() {
        return file;
    }

    List<Block> blocks() {
        return blocks;
    }

    /** Without code in several lines. */
    List<Passage> passages() {
        return passages;
    }

    Set<String> anchors() {
        return anchors;
    }

    List<String> inlineCode() {
        return found(INLINE);
    }

    List<String> links() {
        return found(LINK);
    }

    /** Names of links, as in {@code [text][name]}, that the page does not define. */
    List<String> undefinedReferences() {
        List<String> undefined = found(REFERENCE);
        undefined.removeAll(defined);
        return undefined;
    }

    /** The size of the page without the parts that are generated from the code. */
    long writtenBytes() {
        String text = read().replaceAll("(?s)<!-- generated .*?<!-- end -->", "");
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private String read() {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without code in several lines, and without what is generated. */
    int words() {
        return passages.stream()
                .filter(each -> !generated.get(each.line))
                .mapToInt(each -> words(each.text))
                .sum();
    }

    static int words(String text) {
        String bare = text.replaceAll("\\]\\([^)]*\\)", "]").replaceAll("[^\\p{L}\\p{N}`]+", " ");
        return bare.isBlank() ? 0 : bare.trim().split(" ").length;
    }

    private List<String> found(Pattern pattern) {
        List<String> found = new ArrayList<>();
        for (Passage each : passages) {
            Matcher matcher = pattern.matcher(each.text);
            while (matcher.find()) {
                found.add(matcher.group(1));
            }
        }
        return found;
    }

    private void parse(List<String> lines) {
        StringBuilder text = new StringBuilder();
        int begin = 1;
        boolean isGenerated = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            Matcher definition = DEFINITION.matcher(line);
            if (definition.matches()) {
                defined.add(definition.group(1));
                continue;
            }
            isGenerated = line.startsWith("<!-- generated") || (isGenerated && !isEnd(line));
            generated.set(i + 1, isGenerated);
            boolean isFence = line.startsWith("```");
            boolean isCell = line.startsWith("|");
            boolean isHeading = line.startsWith("#");
            if (line.isEmpty() || isFence || isCell || isHeading || isItem(line)) {
                end(text, begin);
                begin = i + 1;
            }
            if (isFence) {
                i = block(lines, i);
            } else if (isCell) {
                cells(line, i + 1);
            } else if (isHeading) {
                heading(line, i + 1);
            } else if (!line.startsWith("<!--")) {
                text.append(line).append(' ');
            }
        }
        end(text, begin);
    }

    private static boolean isEnd(String line) {
        return line.startsWith("<!-- end");
    }

    private static boolean isItem(String line) {
        return line.matches("([-*]|\\d+\\.) .*");
    }

    private void end(StringBuilder text, int line) {
        if (!text.toString().isBlank()) {
            passages.add(new Passage(text.toString().strip(), line));
        }
        text.setLength(0);
    }

    private int block(List<String> lines, int fence) {
        StringBuilder code = new StringBuilder();
        int i = fence + 1;
        while (i < lines.size() && !lines.get(i).strip().equals("```")) {
            code.append(lines.get(i++)).append('\n');
        }
        blocks.add(new Block(lines.get(fence).strip().substring(3), code.toString(), fence + 1));
        return i;
    }

    private void cells(String line, int number) {
        for (String cell : line.split("(?<!\\\\)\\|")) {
            if (cell.matches(".*\\w.*")) {
                passages.add(new Passage(cell.strip(), number));
            }
        }
    }

    /** The anchor is the one that GitHub gives to the heading. */
    private void heading(String line, int number) {
        String title = line.replaceFirst("#+ *", "");
        passages.add(new Passage(title, number));
        String anchor =
                title.replaceAll("\\]\\([^)]*\\)", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-');
        String unique = anchor;
        for (int i = 1; !anchors.add(unique); i++) {
            unique = anchor + "-" + i;
        }
    }
}
