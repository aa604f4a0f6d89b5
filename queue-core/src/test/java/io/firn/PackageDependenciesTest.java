package io.firn;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static java.util.stream.Collectors.toCollection;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which package of the core may know which, as docs/internals/architecture.md has it. */
class PackageDependenciesTest {
    private static final int LARGEST_CIRCLE = 4;

    private static final JavaClasses CORE =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("io.firn");

    /** Each package with those that it may know, besides itself and the API. */
    private static final Map<String, Set<String>> MAY_KNOW = packages();

    private static Map<String, Set<String>> packages() {
        Map<String, Set<String>> all = new TreeMap<>();
        all.put("", Set.of());
        all.put("host", Set.of());
        all.put("stream", Set.of());
        all.put("medium", Set.of());
        all.put("budget", Set.of());
        all.put("findings", Set.of("medium"));
        all.put("background", with(all, "findings"));
        all.put("spi", Set.of("medium"));
        all.put("format", Set.of("host"));
        all.put("metadata", with(all, "spi", "background"));
        all.put("log", with(all, "metadata", "format", "budget"));
        all.put("force", with(all, "log"));
        all.put("cursor", with(all, "force"));
        all.put("block", with(all, "force"));
        all.put("append", with(all, "block"));
        all.put("read", with(all, "log"));
        all.put("recovery", with(all, "log"));
        all.put("upkeep", with(all, "append"));
        all.put("move", with(all, "upkeep"));
        all.put("compact", with(all, "move", "recovery"));
        all.put("producer", with(all, "append", "recovery"));
        all.put("tx", with(all, "producer"));
        all.put("replica", with(all, "upkeep", "producer"));
        all.put("follow", with(all, "compact", "read", "replica"));
        all.put("inspect", with(all, "log"));
        all.put("backup", with(all, "move", "cursor", "tx"));
        all.put("scrub", with(all, "read"));
        all.put("store", with(all, "cursor", "follow", "tx", "backup", "scrub"));
        all.put("open", with(all, "store"));
        return all;
    }

    /** Some packages and everything that they may know. */
    private static Set<String> with(Map<String, Set<String>> known, String... below) {
        Set<String> all = new TreeSet<>(List.of(below));
        for (String each : below) {
            all.addAll(known.get(each));
        }
        return all;
    }

    private static String packageOf(String name) {
        return name.isEmpty() ? "io.firn" : "io.firn." + name;
    }

    private static ArchRule doesNotKnow(String name, String... others) {
        return noClasses()
                .that()
                .resideInAPackage(packageOf(name))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others)
                .because(
                        "a package knows only those below it: have it call an interface of its own,"
                                + " as LogEvents, or see docs/internals/architecture.md");
    }

    static Set<String> allPackages() {
        return MAY_KNOW.keySet();
    }

    @Test
    void shouldNameEveryPackage() {
        TreeSet<String> found =
                CORE.stream().map(JavaClass::getPackageName).collect(toCollection(TreeSet::new));
        TreeSet<String> named =
                MAY_KNOW.keySet().stream()
                        .map(PackageDependenciesTest::packageOf)
                        .collect(toCollection(TreeSet::new));
        assertEquals(
                named,
                found,
                "name a new package here, with the packages that it may import, and in the row of"
                        + " each package that may import it");
    }

    @ParameterizedTest
    @MethodSource("allPackages")
    void shouldKnowOnlyPackagesBelow(String name) {
        String[] others =
                MAY_KNOW.keySet().stream()
                        .filter(other -> !other.isEmpty() && !other.equals(name))
                        .filter(other -> !MAY_KNOW.get(name).contains(other))
                        .map(PackageDependenciesTest::packageOf)
                        .toArray(String[]::new);
        if (others.length > 0) {
            doesNotKnow(name, others).check(CORE);
        }
    }

    /** The rules above would find an arrow that points the other way: these arrows exist. */
    @Test
    void shouldFailWhenAnArrowIsTurnedRound() {
        assertThrows(AssertionError.class, () -> doesNotKnow("force", "io.firn.log").check(CORE));
        assertThrows(
                AssertionError.class, () -> doesNotKnow("upkeep", "io.firn.append").check(CORE));
        assertThrows(AssertionError.class, () -> doesNotKnow("store", "io.firn.read").check(CORE));
    }

    // ---- the kernel and the features

    /** A log, without what can be built on it. Some of them are still to come. */
    private static final Set<String> KERNEL =
            Set.of(
                    "medium",
                    "budget",
                    "findings",
                    "background",
                    "spi",
                    "format",
                    "metadata",
                    "log",
                    "force",
                    "block",
                    "append",
                    "read",
                    "recovery",
                    "upkeep",
                    "move");

    /** What is built on the kernel, which has interfaces that they implement. */
    private static final Set<String> FEATURES =
            Set.of("cursor", "producer", "tx", "replica", "scrub", "compact", "follow");

    /** What connects the kernel with the features, and what is built on both. */
    private static final Set<String> ABOVE =
            Set.of("", "host", "stream", "backup", "store", "open", "inspect");

    /** Imports of a feature by a package of the kernel that are still to be turned round. */
    private static final Set<String> EXCEPTIONS = Set.of();

    @Test
    void shouldBeAPartOfTheKernelOrAFeatureOrAboveBoth() {
        Set<String> others = new TreeSet<>(MAY_KNOW.keySet());
        others.removeAll(KERNEL);
        others.removeAll(FEATURES);
        others.removeAll(ABOVE);
        assertEquals(Set.of(), others, "say of each package what it is");
    }

    @Test
    void shouldImportNoFeatureIntoTheKernel() {
        assertOnly(EXCEPTIONS, imports(KERNEL, FEATURES));
    }

    private static void assertOnly(Set<String> exceptions, Set<String> found) {
        Set<String> added = new TreeSet<>(found);
        added.removeAll(exceptions);
        assertEquals(
                Set.of(),
                added,
                "the kernel imports no feature: let it own an interface that the feature"
                        + " implements, and connect them in io.firn.store");
        Set<String> gone = new TreeSet<>(exceptions);
        gone.removeAll(found);
        assertEquals(Set.of(), gone, "exceptions that are not needed any more: remove them");
    }

    /** Returns which of some packages import which of some others. */
    private static Set<String> imports(Set<String> importing, Set<String> imported) {
        Set<String> found = new TreeSet<>();
        for (JavaClass from : CORE) {
            from.getDirectDependenciesFromSelf()
                    .forEach(
                            dependency -> {
                                String a = shortNameOf(from);
                                JavaClass target = dependency.getTargetClass();
                                String b = shortNameOf(target.getBaseComponentType());
                                if (importing.contains(a) && imported.contains(b)) {
                                    found.add(a + " > " + b);
                                }
                            });
        }
        return found;
    }

    private static String shortNameOf(JavaClass type) {
        String name = type.getPackageName();
        return name.startsWith("io.firn.") ? name.substring("io.firn.".length()) : name;
    }

    /** Compaction moves segments: the import is found, and the other way round there is none. */
    @Test
    void shouldFailWhenTheKernelImportsAFeature() {
        Set<String> compact = Set.of("compact");
        Set<String> move = Set.of("move");
        assertEquals(Set.of("compact > move"), imports(compact, move));
        assertEquals(Set.of(), imports(move, compact));
        assertThrows(AssertionError.class, () -> assertOnly(Set.of(), imports(compact, move)));
        assertOnly(Set.of(), imports(move, compact));
    }

    @Test
    void shouldFailWhenAnExceptionIsNotNeededAnyMore() {
        assertOnly(Set.of("compact > move"), Set.of("compact > move"));
        assertThrows(AssertionError.class, () -> assertOnly(Set.of("compact > move"), Set.of()));
    }

    // ---- circles

    @Test
    void shouldHaveNoLargeCircleOfClasses() {
        List<Set<String>> large =
                circles().stream().filter(circle -> circle.size() > LARGEST_CIRCLE).toList();
        assertEquals(
                List.of(),
                large,
                "no circle of dependencies has more than " + LARGEST_CIRCLE + " classes");
    }

    /** The strongly connected components of the graph of top-level classes (Kosaraju). */
    private static List<Set<String>> circles() {
        Map<String, Set<String>> forward = new HashMap<>();
        Map<String, Set<String>> backward = new HashMap<>();
        for (JavaClass from : CORE) {
            from.getDirectDependenciesFromSelf()
                    .forEach(
                            dependency -> {
                                String a = topLevel(from);
                                String b = topLevel(dependency.getTargetClass());
                                if (b.startsWith("io.firn.") && !a.equals(b)) {
                                    forward.computeIfAbsent(a, n -> new TreeSet<>()).add(b);
                                    backward.computeIfAbsent(b, n -> new TreeSet<>()).add(a);
                                }
                            });
        }
        Set<String> seen = new TreeSet<>();
        List<String> finished = new ArrayList<>();
        for (String start : forward.keySet()) {
            visit(start, forward, seen, finished);
        }
        Set<String> assigned = new TreeSet<>();
        List<Set<String>> circles = new ArrayList<>();
        for (int i = finished.size() - 1; i >= 0; i--) {
            List<String> circle = new ArrayList<>();
            visit(finished.get(i), backward, assigned, circle);
            if (!circle.isEmpty()) {
                circles.add(new TreeSet<>(circle));
            }
        }
        return circles;
    }

    /** Adds what can be reached from a class, each class after all that it leads to. */
    private static void visit(
            String start, Map<String, Set<String>> graph, Set<String> seen, List<String> finished) {
        Deque<String> path = new ArrayDeque<>();
        Deque<List<String>> left = new ArrayDeque<>();
        if (seen.add(start)) {
            path.push(start);
            left.push(new ArrayList<>(graph.getOrDefault(start, Set.of())));
        }
        while (!path.isEmpty()) {
            List<String> next = left.peek();
            if (next.isEmpty()) {
                finished.add(path.pop());
                left.pop();
            } else {
                String name = next.remove(next.size() - 1);
                if (seen.add(name)) {
                    path.push(name);
                    left.push(new ArrayList<>(graph.getOrDefault(name, Set.of())));
                }
            }
        }
    }

    private static String topLevel(JavaClass of) {
        String name = of.getBaseComponentType().getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }
}
