package io.firn.management;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdmissionTest {
    private static final String LIVE = "/health/live";

    @TempDir Path directory;

    @Test
    void shouldServeNoNameThatIsNotItsOwn() throws Exception {
        try (ManagedServer managed =
                new ManagedServer(directory, Map.of("management.hosts", "Firn.example"))) {
            for (String known :
                    new String[] {"127.0.0.1:9", "localhost", "[::1]:80", "firn.EXAMPLE:9600"}) {
                String answer = managed.send(ManagedServer.get(LIVE, "Host: " + known));
                assertEquals(200, ManagedServer.statusOf(answer), known);
            }
            for (String other :
                    new String[] {"evil.example", "localhost.evil.example", "", "a b", "[x]"}) {
                String answer = managed.send(ManagedServer.get(LIVE, "Host: " + other));
                assertEquals(421, ManagedServer.statusOf(answer), other);
            }
            assertEquals(421, ManagedServer.statusOf(managed.send(ManagedServer.get(LIVE))));
            String two = ManagedServer.get(LIVE, "Host: localhost", "Host: localhost");
            assertEquals(421, ManagedServer.statusOf(managed.send(two)));
        }
    }

    @Test
    void shouldServeNothingButGetAndHeadOfItsPages() throws Exception {
        try (ManagedServer managed = new ManagedServer(directory, Map.of())) {
            String post = ManagedServer.get(LIVE, "Host: localhost").replace("GET", "POST");
            assertEquals(405, ManagedServer.statusOf(managed.send(post)));
            String head = ManagedServer.get(LIVE, "Host: localhost").replace("GET", "HEAD");
            String answer = managed.send(head);
            assertEquals(200, ManagedServer.statusOf(answer));
            assertTrue(answer.endsWith("\r\n\r\n"), answer);
            for (String none : new String[] {"/x", "/health", "/health/live/x", "/health/livex"}) {
                assertEquals(404, managed.status(none), none);
            }
            assertEquals(0, managed.status(LIVE, "X: " + "x".repeat(20_000)));
            String[] many = new String[100];
            java.util.Arrays.setAll(many, each -> "X-" + each + ": x");
            assertEquals(0, managed.status(LIVE, many));
            assertEquals(200, managed.status(LIVE));
        }
    }

    @Test
    void shouldExpectThePasswordWhereThereIsOne() throws Exception {
        try (ManagedServer managed =
                new ManagedServer(directory, Map.of("management.password", "se:cret"))) {
            assertEquals(401, managed.status(LIVE));
            assertEquals(401, managed.status(LIVE, basic("firn:other")));
            assertEquals(401, managed.status("/nothing"));
            assertEquals(200, managed.status(LIVE, basic("firn:se:cret")));
        }
    }

    private static String basic(String credentials) {
        byte[] bytes = credentials.getBytes(StandardCharsets.UTF_8);
        return "Authorization: Basic " + Base64.getEncoder().encodeToString(bytes);
    }

    @Test
    void shouldNotBeOpenToOtherMachinesWithoutAuthentication() throws Exception {
        Map<String, String> open = Map.of("management.listener", "http://0.0.0.0:0");
        InvalidOptionException refused =
                assertThrows(
                        InvalidOptionException.class, () -> new ManagedServer(directory, open));
        assertTrue(refused.getMessage().contains("management.password"), refused.getMessage());
        Map<String, String> closed =
                Map.of("management.listener", "http://0.0.0.0:0", "management.password", "secret");
        try (ManagedServer managed = new ManagedServer(directory, closed)) {
            assertEquals(200, managed.status(LIVE, basic("firn:secret")));
        }
        Map<String, String> local = Map.of("management.listener", "http://:0");
        try (ManagedServer managed = new ManagedServer(directory, local)) {
            assertEquals("127.0.0.1", managed.server.managementUri().orElseThrow().getHost());
            assertFalse(managed.server.metrics().getThreadsStillMs().isEmpty());
        }
    }
}
