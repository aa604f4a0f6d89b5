package io.firn.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names in the sources, with which those in pages are compared. */
final class SourceNames {
    private static final Pattern TYPE =
            Pattern.compile("\\b(?:class|interface|record|enum|@interface) ([A-Z]\\w*)");

    /** Such as {@code LogStore.openTopic} or {@code openTopic(...)} of a class. */
    private static final Pattern MEMBER = Pattern.compile("([A-Z]\\w*)\\.([a-z]\\w*)\\b.*");

    /** A name with two capitals, such as {@code StoreFullException}. */
    private static final Pattern NAME = Pattern.compile("[A-Z][a-z]\\w*[A-Z]\\w*[a-z]\\w*");

    private final Map<String, String> sources = new HashMap<>();
    private final Set<String> words = new HashSet<>();

    SourceNames(Path root) throws IOException {
        for (Path file : PagesTest.filesBelow(root, ".java")) {
            String source = Files.readString(file);
            Matcher types = TYPE.matcher(source);
            while (types.find()) {
                sources.merge(types.group(1), source, String::concat);
            }
            for (String word : source.split("\\W+")) {
                words.add(word);
            }
        }
    }

    /**
     * Returns whether a name in the code of a page is one of the sources, or no name of Java. An
     * attribute of JMX is named without its get.
     */
    boolean has(String code) {
        Matcher member = MEMBER.matcher(code);
        if (member.matches() && sources.containsKey(member.group(1))) {
            return Pattern.compile("\\b" + member.group(2) + "\\b")
                    .matcher(sources.get(member.group(1)))
                    .find();
        }
        return !NAME.matcher(code).matches()
                || words.contains(code)
                || words.contains("get" + code);
    }
}
