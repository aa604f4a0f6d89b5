package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How much files take, by {@code du}: Java does not show how many blocks a file has. */
final class DiskUse {
    private DiskUse() {}

    /** Returns the sum of the sizes of files; null where that is not known. */
    static Long apparent(Path directory) {
        return run(List.of("--apparent-size"), directory);
    }

    /** Returns what they occupy on the medium; null where that is not known. */
    static Long real(Path directory) {
        return run(List.of(), directory);
    }

    private static Long run(List<String> options, Path directory) {
        List<String> command = new ArrayList<>(List.of("du", "-s", "-B1"));
        command.addAll(options);
        command.addAll(List.of("--", directory.toString()));
        try {
            Process du =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.DISCARD) // files that have gone
                            .start();
            String text = new String(du.getInputStream().readAllBytes(), UTF_8);
            du.waitFor();
            return text.matches("(?s)[0-9]+\\s.*") ? Long.valueOf(text.split("\\s", 2)[0]) : null;
        } catch (IOException e) {
            return null; // no such program
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
