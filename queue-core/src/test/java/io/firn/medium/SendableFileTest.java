package io.firn.medium;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that is opened under a name which may change. */
class SendableFileTest {
    private final FileMedium medium = FileMedium.real();
    private final Semaphore places = new Semaphore(1);

    @TempDir private Path directory;

    @Test
    void shouldOpenAFileThatIsRenamedAfterItsNameWasAskedFor() throws IOException {
        Path old = Files.createFile(directory.resolve("old"));
        AtomicReference<Path> name = new AtomicReference<>(old);
        try (SendableFile file =
                new SendableFile(
                        medium,
                        places,
                        medium.identityOf(old),
                        () -> List.of(name.getAndUpdate(this::rename)))) {
            assertNotNull(file.channel());
        }
    }

    private Path rename(Path file) {
        Path renamed = directory.resolve("new");
        try {
            if (!file.equals(renamed)) {
                Files.move(file, renamed);
            }
            return renamed;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldLeaveThePlaceOfAFileThatIsGone() throws IOException {
        Path gone = Files.createFile(directory.resolve("gone"));
        Object identity = medium.identityOf(gone);
        Files.delete(gone);
        try (SendableFile file = new SendableFile(medium, places, identity, () -> List.of(gone))) {
            assertNull(file.channel());
            assertTrue(places.tryAcquire());
        }
    }
}
