package io.firn.examples;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The README shows code that compiles and runs: FirstScreen's, which ExamplesTest runs. */
final class ReadmeTest {

    @Test
    void shouldShowOnItsFirstScreenWhatFirstScreenRuns() throws IOException {
        String readme = Files.readString(Path.of("..", "README.md"));
        int from = readme.indexOf("```java\n") + "```java\n".length();
        String shown = bare(readme.substring(from, readme.indexOf("```", from)));
        String source =
                bare(Files.readString(Path.of("src/main/java/io/firn/examples/FirstScreen.java")));

        assertTrue(shown.contains("appender.append("), shown);
        assertTrue(source.contains(shown), "README shows " + shown + "\nsource is " + source);
    }

    private static String bare(String code) {
        return code.replaceAll("//.*", "").replaceAll("\\s+", "");
    }
}
