package io.firn.medium;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class TooManyOpenFilesTest {
    private static final String GERMAN = "Zu viele offene Dateien";

    private IOException probe;

    private final TooManyOpenFiles tooMany =
            new TooManyOpenFiles(
                    () -> {
                        if (probe != null) {
                            throw probe;
                        }
                    });

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
    void shouldKnowNothingWhereThereIsNoSuchFile() {
        probe = new NoSuchFileException("/dev/null");
        assertFalse(tooMany.isMeantBy(german()));
        probe = new FileSystemException("/dev/null");
        assertFalse(tooMany.isMeantBy(german()));
    }
}
