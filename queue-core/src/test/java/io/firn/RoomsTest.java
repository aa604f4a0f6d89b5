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

/** Which package of the core may know which, as ARCHITECTURE.md has it. */
class RoomsTest {
    private static final int LARGEST_CIRCLE = 4;

    private static final JavaClasses CORE =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("io.firn");

    /** Each package with those that it may know, besides itself and the API. */
    private static final Map<String, Set<String>> MAY_KNOW = rooms();

    private static Map<String, Set<String>> rooms() {
        Map<String, Set<String>> rooms = new TreeMap<>();
        rooms.put("", Set.of());
        rooms.put("host", Set.of());
        rooms.put("medium", Set.of());
        rooms.put("budget", Set.of());
        rooms.put("background", Set.of("medium"));
        rooms.put("spi", Set.of("medium"));
        rooms.put("format", Set.of("host"));
        rooms.put("metadata", Set.of("medium", "spi", "background"));
        rooms.put("log", with(rooms, "metadata", "format", "budget"));
        rooms.put("ends", with(rooms, "log"));
        rooms.put("force", with(rooms, "log"));
        rooms.put("append", with(rooms, "force"));
        rooms.put("read", with(rooms, "log"));
        rooms.put("recovery", with(rooms, "ends"));
        rooms.put("upkeep", with(rooms, "append"));
        rooms.put("move", with(rooms, "upkeep"));
        rooms.put("compact", with(rooms, "move"));
        rooms.put("tx", with(rooms, "append"));
        rooms.put("inspect", with(rooms, "log"));
        rooms.put("store", with(rooms, "read", "compact", "recovery", "tx"));
        return rooms;
    }

    /** Some rooms and everything that they may know. */
    private static Set<String> with(Map<String, Set<String>> rooms, String... below) {
        Set<String> all = new TreeSet<>(List.of(below));
        for (String room : below) {
            all.addAll(rooms.get(room));
        }
        return all;
    }

    private static String packageOf(String room) {
        return room.isEmpty() ? "io.firn" : "io.firn." + room;
    }

    private static ArchRule doesNotKnow(String room, String... others) {
        return noClasses()
                .that()
                .resideInAPackage(packageOf(room))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others)
                .because(
                        "a room knows only those below it: have it call an interface of its own,"
                                + " as LogEvents, or see ARCHITECTURE.md");
    }

    static Set<String> allRooms() {
        return MAY_KNOW.keySet();
    }

    @Test
    void shouldNameEveryPackage() {
        TreeSet<String> found =
                CORE.stream().map(JavaClass::getPackageName).collect(toCollection(TreeSet::new));
        TreeSet<String> named =
                MAY_KNOW.keySet().stream()
                        .map(RoomsTest::packageOf)
                        .collect(toCollection(TreeSet::new));
        assertEquals(named, found);
    }

    @ParameterizedTest
    @MethodSource("allRooms")
    void shouldKnowOnlyRoomsBelow(String room) {
        String[] others =
                MAY_KNOW.keySet().stream()
                        .filter(other -> !other.isEmpty() && !other.equals(room))
                        .filter(other -> !MAY_KNOW.get(room).contains(other))
                        .map(RoomsTest::packageOf)
                        .toArray(String[]::new);
        if (others.length > 0) {
            doesNotKnow(room, others).check(CORE);
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
