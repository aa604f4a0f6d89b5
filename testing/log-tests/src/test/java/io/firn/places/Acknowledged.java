package io.firn.places;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/** Up to where a topic's records were acknowledged, kept outside of the place. */
final class Acknowledged {
    private final Path file;
    private final Properties ends = new Properties();

    Acknowledged(Path file) throws IOException {
        this.file = file;
        if (Files.exists(file)) {
            try (var in = Files.newBufferedReader(file)) {
                ends.load(in);
            }
        }
    }

    synchronized void upTo(String topic, long offset) {
        ends.setProperty(topic, Long.toString(offset));
    }

    synchronized long of(String topic) {
        return Long.parseLong(ends.getProperty(topic, "0"));
    }

    synchronized void save() throws IOException {
        try (var out = Files.newBufferedWriter(file)) {
            ends.store(out, null);
        }
    }
}
