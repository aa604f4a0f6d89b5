package io.firn.medium;

import static org.junit.jupiter.api.Assertions.assertNull;

import io.firn.api.Waiting;
import io.firn.medium.FileMedium.MediumLock;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileLocksTest {
    @TempDir Path directory;

    /** A force looks at its lock; the file system of another store may hang meanwhile. */
    @Test
    void shouldLookAtALockWhileAnotherOneIsBeingAcquired() throws Exception {
        try (MediumLock held = FileLocks.acquire(directory.resolve("lock"))) {
            FutureTask<String> look = new FutureTask<>(held::lost);
            synchronized (FileLocks.HELD) {
                new Thread(look, "look").start();
                assertNull(Waiting.get(look));
            }
        }
    }
}
