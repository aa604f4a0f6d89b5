package io.firn.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/** The jar as users get it: bin/check junit runs it beside other versions of what it contains. */
class JarIT {
    private static final String JAR = System.getProperty("firn.junit.jar");

    private static final List<String> OTHERS = List.of("io/netty/", "org/apache/kafka/");

    /** Anything else in it could hide what the user has on the class path. */
    @Test
    void shouldHoldNothingOutsideOfItsOwnPackages() throws IOException {
        List<String> others = new ArrayList<>();
        boolean hasServer = false;
        for (JarEntry each : entries()) {
            String name = each.getName();
            hasServer |= name.equals("io/firn/junit/shaded/server/FirnServer.class");
            boolean isOurs = name.matches("io/firn/junit/.*|META-INF/.*|LICENSE|NOTICE");
            if (!isOurs || name.startsWith("META-INF/services/")) {
                others.add(name);
            }
        }
        assertEquals(List.of(), others);
        assertTrue(hasServer);
    }

    @Test
    void shouldNotUseNettyOrKafkaUnderTheirOwnNames() throws IOException {
        List<String> users = new ArrayList<>();
        try (JarFile jar = new JarFile(JAR)) {
            for (JarEntry each : entries()) {
                if (each.getName().endsWith(".class")) {
                    try (InputStream in = jar.getInputStream(each)) {
                        String code = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
                        if (OTHERS.stream().anyMatch(other -> uses(code, other))) {
                            users.add(each.getName());
                        }
                    }
                }
            }
        }
        assertEquals(List.of(), users);
    }

    /** Whether a class file has a name that begins so; those that are relocated have it inside. */
    private static boolean uses(String code, String packages) {
        int at = code.indexOf(packages);
        while (at > 0 && code.charAt(at - 1) == '/') {
            at = code.indexOf(packages, at + 1);
        }
        return at >= 0;
    }

    private static List<JarEntry> entries() throws IOException {
        try (JarFile jar = new JarFile(JAR)) {
            return jar.stream().filter(each -> !each.isDirectory()).toList();
        }
    }
}
