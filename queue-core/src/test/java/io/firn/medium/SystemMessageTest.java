package io.firn.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemMessageTest {
    private static final String GERMAN = "Zu viele offene Dateien";

    private IOException probe;

    private int attempts;

    private final SystemMessage tooMany =
            new SystemMessage(List.of("too many open files"), false, this::attempt);

    private final SystemMessage noSpace =
            new SystemMessage(List.of("no space left"), true, this::attempt);

    private void attempt() throws IOException {
        attempts++;
        if (probe != null) {
            throw probe;
        }
    }

    private static IOException german() {
        return new FileSystemException("/data/x.seal", null, GERMAN);
    }

    @Test
    void shouldKnowTheEnglishMessageWithoutOpeningAnother() {
        assertTrue(tooMany.isMeantBy(new IOException("/data/x (Too many open files)")));
        assertTrue(tooMany.isMeantBy(new IOException("Too many open files in system")));
    }

    @Test
    void shouldLearnTheMessageOfTheSystemFromAFileThatCanAlwaysBeOpened() {
        assertFalse(tooMany.isMeantBy(german()), "while another one can be opened");
        probe = new FileSystemException("/dev/null", null, GERMAN);
        assertTrue(tooMany.isMeantBy(german()));
        probe = null;
        assertTrue(tooMany.isMeantBy(german()), "it is known from then on");
        assertTrue(tooMany.isMeantBy(new FileNotFoundException("/data/x (" + GERMAN + ")")));
    }

    @Test
    void shouldNotTakeOtherErrorsForItDuringAShortage() {
        probe = new FileSystemException("/dev/null", null, GERMAN);
        assertFalse(tooMany.isMeantBy(new IOException("Input/output error")));
        assertFalse(tooMany.isMeantBy(new NoSuchFileException("/data/x")));
        assertFalse(tooMany.isMeantBy(new AccessDeniedException("/data/x")));
    }

    @Test
    void shouldLearnOnceHowTheSystemSaysThatThereIsNoSpace() {
        String full = "Auf dem Gerät ist kein Speicherplatz mehr verfügbar";
        probe = new IOException(full);
        assertTrue(noSpace.isMeantBy(new FileSystemException("/data/x", null, full)));
        assertTrue(noSpace.isMeantBy(new IOException(full)));
        assertFalse(noSpace.isMeantBy(new IOException("Eingabe-/Ausgabefehler")));
        assertFalse(noSpace.isMeantBy(new IOException("Das Dateisystem ist nur lesbar")));
        assertEquals(1, attempts);
    }

    @Test
    void shouldNotLearnFromADeviceThatCannotBeOpened() {
        probe = new FileNotFoundException("/dev/full (Keine Berechtigung)");
        assertFalse(noSpace.isMeantBy(new IOException("/data/x (Keine Berechtigung)")));
    }

    @Test
    void shouldCreateNoFileWhereThereIsNoSuchDevice(@TempDir Path directory) throws IOException {
        Path device = directory.resolve("full");
        SystemMessage.writeTo(device);
        assertFalse(Files.exists(device));
        Files.writeString(device, "somebody's");
        SystemMessage.writeTo(device);
        assertEquals("somebody's", Files.readString(device));
    }

    @Test
    void shouldKnowTheMessagesOfThisSystem() {
        IOException full =
                assertThrows(
                        IOException.class,
                        () -> {
                            try (FileOutputStream out = new FileOutputStream("/dev/full")) {
                                out.write(0);
                            }
                        });
        assumeTrue(full.getClass() == IOException.class, "no /dev/full: " + full);
        assertTrue(SystemMessage.NO_SPACE.isMeantBy(full));
    }

    @Test
    void shouldKnowNothingWhereThereIsNoSuchFile() {
        probe = new NoSuchFileException("/dev/null");
        assertFalse(tooMany.isMeantBy(german()));
        probe = new FileSystemException("/dev/null");
        assertFalse(tooMany.isMeantBy(german()));
    }
}
