package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.file.FileTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a user reads who has done something wrong: each word of it. */
class MessagesTest {
    @TempDir Path directory;
    private Path store;

    private LogStore create() {
        store = directory.resolve("orders");
        return LogStore.at(store).tier(FileTier.at(store.resolve("segments"))).open();
    }

    private void assertSays(int exitCode, String expected, Object... arguments) {
        Run run = Run.firn(arguments);
        assertEquals("", run.out());
        assertEquals(expected.strip(), run.err().replace(directory.toString(), "/data").strip());
        assertEquals(exitCode, run.exitCode());
    }

    @Test
    void shouldSuggestTheCommandThatWasMeant() {
        assertSays(
                Exit.MISUSED,
                """
                Unmatched argument at index 0: 'doctr'
                Did you mean: firn doctor or firn shadow?
                Usage: firn [--version] [--help] COMMAND
                'firn --help' explains it.
                """,
                "doctr");
    }

    @Test
    void shouldSuggestTheOptionThatWasMeant() {
        assertSays(
                Exit.MISUSED,
                """
                Unknown option: '--jsno'
                Possible solutions: --json
                Usage: firn topics list [--tier=KIND:DIR]... [--allow-linked-directories]
                                        [--command-config=FILE] [--json] [--help] (--store=DIR
                                        | --server=HOST:PORT)
                'firn topics list --help' explains it.
                """,
                "topics",
                "list",
                "--store=orders",
                "--jsno");
    }

    @Test
    void shouldCompleteCommandsInAShell() {
        Run run = Run.firn("completion");
        assertEquals(Exit.FINE, run.exitCode());
        assertTrue(run.out().contains("_picocli_firn_topics_create"), run.out());
    }

    @Test
    void shouldAskForAPlace() {
        assertSays(
                Exit.MISUSED,
                """
                Error: Missing required argument (specify one of these): (--store=DIR | --server=HOST:PORT)
                Usage: firn topics delete [--tier=KIND:DIR]... [--allow-linked-directories]
                                          [--command-config=FILE] [--help] (--store=DIR |
                                          --server=HOST:PORT) TOPIC
                'firn topics delete --help' explains it.
                """,
                "topics",
                "delete",
                "orders");
    }

    @Test
    void shouldSayThatADirectoryOrAStoreIsMissing() throws IOException {
        Path missing = directory.resolve("orders");
        assertSays(
                Exit.MISUSED,
                "there is no directory /data/orders",
                "topics",
                "list",
                "--store",
                missing);
        Files.createDirectory(missing);
        assertSays(
                Exit.FAILED,
                "the store /data/orders cannot be opened: there is no store: the file"
                        + " /data/orders/store is missing",
                "topics",
                "list",
                "--store",
                missing);
        assertSays(
                Exit.FAILED,
                "there is no store in /data/orders: a file 'store' is expected there, or in its"
                        + " directory 'firn'",
                "topics",
                "create",
                "--store",
                missing,
                "orders");
    }

    @Test
    void shouldSayThatAStoreIsInUse() {
        LogStore used = create();
        Run run = Run.firn("topics", "create", "--store", store, "orders");
        assertEquals(Exit.FAILED, run.exitCode());
        assertTrue(
                run.err()
                        .matches(
                                "(?s).*lock is locked by this process \\(pid [0-9]+, .*\\): it is"
                                        + " already open; .* A server that has it open is asked by"
                                        + " --server\\R"),
                run.err());
        used.close();
    }

    @Test
    void shouldSayThatAStoreHasANewerFormat() throws IOException {
        create().close();
        Path identity = store.resolve("store");
        String text = Files.readString(identity).replace("firn store 1", "firn store 9");
        text = text.substring(0, text.indexOf("crc32c="));
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(UTF_8));
        Files.writeString(identity, text + "crc32c=%08x\n".formatted(crc.getValue()));
        assertSays(
                Exit.FAILED,
                "the store /data/orders cannot be opened: /data/orders/store has format version 9,"
                        + " this Firn reads versions up to 2: open it with the Firn that wrote it or"
                        + " a newer one",
                "topics",
                "list",
                "--store",
                store);
    }

    @Test
    void shouldSayThatNoServerAnswers() throws IOException {
        assertSays(
                Exit.FAILED,
                "no server answers at 127.0.0.1:1: Connection refused. Is it running, and is this its"
                        + " address?",
                "topics",
                "list",
                "--server=127.0.0.1:1");
        assertSays(
                Exit.MISUSED,
                "--server: HOST:PORT is expected, found 'localhost'",
                "topics",
                "list",
                "--server=localhost");
    }
}
