package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.server.config.ServerConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The store needs descriptors, whatever clients open. */
class DescriptorsTest {
    private static final ServerConfig DEFAULTS = ServerConfig.defaults();

    @Test
    void shouldLeaveHalfOfTheDescriptorsToTheStoreAndAQuarterOfTheRestToOtherAddresses() {
        assertEquals(new Descriptors(150, 113), Descriptors.of(DEFAULTS, 300));
        assertEquals(new Descriptors(10_000, 7_500), Descriptors.of(DEFAULTS, 1_000_000));
        assertEquals(
                new Descriptors(150, 113),
                Descriptors.of(DEFAULTS.with("max.connections", 200), 300));
    }

    @Test
    void shouldUseWhatIsConfiguredAsFarAsThereAreDescriptors() {
        assertEquals(
                new Descriptors(20, 20), Descriptors.of(DEFAULTS.with("max.connections", 20), 300));
        assertEquals(
                new Descriptors(20, 5),
                Descriptors.of(
                        ServerConfig.of(
                                Map.of("max.connections", "20", "max.connections.per.ip", "5")),
                        300));
    }
}
