package io.firn.bench.peers;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** The versions of libraries on the class path. */
final class Versions {
    private Versions() {}

    /** Returns the version that a jar built by Maven carries. */
    static String ofMaven(String group, String artifact) {
        String name = "/META-INF/maven/" + group + "/" + artifact + "/pom.properties";
        try (InputStream in = Versions.class.getResourceAsStream(name)) {
            if (in == null) {
                return "unknown";
            }
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version", "unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }
}
