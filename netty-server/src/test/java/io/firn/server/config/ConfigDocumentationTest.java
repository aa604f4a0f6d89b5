package io.firn.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ConfigDocumentationTest {
    @Test
    void shouldSayWhatEveryKeyIsFor() {
        Set<String> without = new TreeSet<>(TopicKeys.all().keySet());
        without.addAll(ServerKeys.all().keySet());
        without.removeIf(key -> ConfigDocumentation.of(key) != null);
        assertEquals(Set.of(), without, "documentation.properties has no text for these");
    }

    @Test
    void shouldSayOfAKeyOfOneListenerWhatItIsFor() {
        assertNotNull(ConfigDocumentation.of("listener.name.outside.ssl.client.auth"));
        assertNull(ConfigDocumentation.of("listener.name.outside.no.such.key"));
        assertNull(ConfigDocumentation.of("no.such.key"));
    }
}
