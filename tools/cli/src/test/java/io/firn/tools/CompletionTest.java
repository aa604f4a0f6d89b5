package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What bash makes of the script for completion. */
class CompletionTest {
    @TempDir Path directory;

    /** Returns the words that it offers for the last one of a line. */
    private Set<String> completions(String... words) throws IOException, InterruptedException {
        Path script = directory.resolve("completion");
        Files.writeString(script, Run.firn("completion").out());
        String program =
                """
                source "$0"
                COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
                function=$(complete -p firn | sed 's/.*-F \\([^ ]*\\).*/\\1/')
                $function
                printf '%s\\n' "${COMPREPLY[@]}"
                """;
        List<String> command =
                new ArrayList<>(List.of("bash", "--norc", "-c", program, script.toString()));
        command.addAll(List.of(words));
        Process bash =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        // compopt complains where nobody types.
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        String said = new String(bash.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, bash.waitFor(), said);
        return Set.of(said.strip().split("\\s+"));
    }

    @Test
    void shouldCompleteCommandsOptionsAndValuesInBash() throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "no bash");
        assertEquals(Set.of("topics"), completions("firn", "top"));
        assertTrue(completions("firn", "").containsAll(Set.of("tail", "stat", "doctor")));
        assertEquals(
                Set.of("list", "describe", "create", "alter", "delete"),
                completions("firn", "topics", ""));
        assertEquals(Set.of("--store"), completions("firn", "tail", "--st"));
        assertEquals(Set.of("JSON", "LINES", "RAW"), completions("firn", "export", "--format", ""));
        assertEquals(Set.of("completion"), completions("firn", "tail", "--store", "com"));
    }
}
