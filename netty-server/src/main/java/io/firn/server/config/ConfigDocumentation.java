package io.firn.server.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/**
 * What is said of configuration keys to clients that ask for their documentation.
 *
 * @see ServerConfig
 */
public final class ConfigDocumentation {
    private static final String RESOURCE = "documentation.properties";

    private ConfigDocumentation() {}

    /** Read when a client asks for the first time. */
    private static final class Texts {
        static final Properties BY_KEY = read();

        private static Properties read() {
            Properties texts = new Properties();
            try (InputStream in = ConfigDocumentation.class.getResourceAsStream(RESOURCE)) {
                texts.load(new InputStreamReader(in, StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(RESOURCE + " could not be read", e);
            }
            return texts;
        }
    }

    /** Returns what a key is for; null if it has no documentation. Thread-safe. */
    public static String of(String key) {
        String text = Texts.BY_KEY.getProperty(key);
        String listener = SecurityKeys.listenerOf(key);
        return text != null || listener == null
                ? text
                : Texts.BY_KEY.getProperty(
                        key.substring(SecurityKeys.PREFIX.length() + listener.length() + 1));
    }
}
