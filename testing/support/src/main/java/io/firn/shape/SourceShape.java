package io.firn.shape;

import static java.util.stream.Collectors.toCollection;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.shape.JavaSources.Method;
import io.firn.shape.JavaSources.NestedClass;
import io.firn.shape.JavaSources.SourceFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Rules for the sources of a module: few small classes, short methods with few parameters, one name
 * for one thing. A module lists its exceptions, each with a reason; one that is not needed any more
 * fails, too.
 */
public final class SourceShape {
    /** How many parameters a method has at most. */
    public static final int MOST_PARAMETERS = 5;

    /** How many lines a method has at most. */
    public static final int MOST_METHOD_LINES = 60;

    /** With at most so many code lines, a class is small. */
    public static final int SMALL_CLASS = 40;

    private final JavaSources sources;

    /** Parses all sources below a directory. */
    public SourceShape(Path directory) {
        try {
            this.sources = JavaSources.in(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the sources. */
    public JavaSources sources() {
        return sources;
    }

    /** Returns a list of exceptions, one in a line, {@code Class.method: REASON}. */
    public static Map<String, String> exceptions(String lines) {
        Map<String, String> exceptions = new LinkedHashMap<>();
        for (String line : lines.lines().toList()) {
            String[] parts = line.split(": ", 2);
            assertEquals(2, parts.length, () -> "an exception without a reason: " + line);
            exceptions.put(parts[0], parts[1]);
        }
        return exceptions;
    }

    /** Checks that methods have at most {@value #MOST_PARAMETERS} parameters. */
    public void checkParameters(Map<String, String> exceptions) {
        assertOnly(exceptions, methods(each -> each.parameters() > MOST_PARAMETERS));
    }

    /** Checks that methods have at most {@value #MOST_METHOD_LINES} lines. */
    public void checkMethodLines(Map<String, String> exceptions) {
        assertOnly(exceptions, methods(each -> each.lines() > MOST_METHOD_LINES));
    }

    /** Checks that no signature has {@code Object}. */
    public void checkObjects(Map<String, String> exceptions) {
        assertOnly(exceptions, methods(Method::usesObject));
    }

    private Set<String> methods(Predicate<Method> which) {
        return sources.methods().stream()
                .filter(which)
                .map(Method::name)
                .collect(toCollection(TreeSet::new));
    }

    /**
     * Checks that no two classes have one name. Those that are nested in others may have equal
     * names, since they are read with the outer one's, but not that of a top-level class.
     */
    public void checkNames(Map<String, String> exceptions) {
        Set<String> once = new HashSet<>();
        Set<String> twice = new TreeSet<>();
        for (SourceFile file : sources.files()) {
            if (!once.add(file.name())) {
                twice.add(file.name());
            }
        }
        sources.nested().stream().map(NestedClass::name).filter(once::contains).forEach(twice::add);
        assertOnly(exceptions, twice);
    }

    private static void assertOnly(Map<String, String> exceptions, Set<String> found) {
        Set<String> added = new TreeSet<>(found);
        added.removeAll(exceptions.keySet());
        assertEquals(Set.of(), added, "change these, or list them here with a reason");
        Set<String> gone = new TreeSet<>(exceptions.keySet());
        gone.removeAll(found);
        assertEquals(Set.of(), gone, "exceptions that are not needed any more: remove them");
    }

    /** Checks that at most so many classes have {@value #SMALL_CLASS} code lines or fewer. */
    public void checkSmallClasses(int most) {
        Set<String> small = new TreeSet<>();
        for (SourceFile each : sources.files()) {
            if (each.codeLines() <= SMALL_CLASS) {
                small.add(each.packageName() + "." + each.name());
            }
        }
        assertTrue(
                small.size() <= most,
                () ->
                        small.size()
                                + " classes with at most "
                                + SMALL_CLASS
                                + " code lines, expected at most "
                                + most
                                + "; join those that are never understood alone: "
                                + small);
    }

    /** Checks that the module has at most so many code lines. */
    public void checkCodeLines(int most) {
        int lines = sources.files().stream().mapToInt(SourceFile::codeLines).sum();
        assertTrue(
                lines <= most,
                () ->
                        lines
                                + " code lines, expected at most "
                                + most
                                + ": join or remove code; for a new feature, raise the bound and"
                                + " say why in the commit");
    }
}
