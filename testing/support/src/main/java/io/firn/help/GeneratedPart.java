package io.firn.help;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A part of a page that is generated from the code, between {@code <!-- generated NAME -->} and
 * {@code <!-- end -->}. With {@code -Dfirn.help.write=true}, the tests write these parts.
 */
public final class GeneratedPart {
    private GeneratedPart() {}

    /** Checks that the part of a page, named from the root of the sources, is a given text. */
    public static void check(String page, String name, String text) throws IOException {
        Path file = HelpFile.root().resolve(page);
        String all = Files.readString(file);
        String begin = "<!-- generated " + name + " -->\n";
        int from = all.indexOf(begin) + begin.length();
        int to = all.indexOf("<!-- end -->", from);
        if (from < begin.length() || to < 0) {
            throw new AssertionError(page + " has no " + begin.strip() + " with an end");
        }
        String wanted = "\n" + text.strip() + "\n\n";
        if (Boolean.getBoolean("firn.help.write")) {
            Files.writeString(file, all.substring(0, from) + wanted + all.substring(to));
        } else {
            assertEquals(
                    wanted,
                    all.substring(from, to),
                    page + " differs from the code: run this test with -Dfirn.help.write=true");
        }
    }
}
