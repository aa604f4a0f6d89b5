package io.firn.server;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A little of what {@code bin/check fuzz} does at length. */
class FuzzTest {
    @TempDir Path directory;

    @Test
    void shouldServeItsClientsWhileOthersSendNonsense() throws Exception {
        try (Running running = new Running(directory, Fuzz.settings());
                Fuzz fuzz = new Fuzz(running, 42)) {
            fuzz.run(10_000);
            fuzz.check();
        }
    }
}
