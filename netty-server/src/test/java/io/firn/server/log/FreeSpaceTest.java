package io.firn.server.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When produce requests are refused for a lack of space. */
class FreeSpaceTest {
    private static final Path STORE = Path.of("store");
    private static final Path HOT = Path.of("hot");
    private static final Path COLD = Path.of("cold");

    private final Map<Path, Long> free = new HashMap<>(Map.of(STORE, 100L, HOT, 100L, COLD, 100L));

    private final FileMedium medium =
            new FilterFileMedium(FileMedium.real()) {
                @Override
                public long usableBytes(Path path) throws IOException {
                    Long bytes = free.get(path);
                    if (bytes == null) {
                        throw new IOException(path + ": Input/output error");
                    }
                    return bytes;
                }

                @Override
                protected MediumFile wrap(Path path, MediumFile file) {
                    return file;
                }
            };

    private static boolean isLow(FreeSpace space) {
        space.look();
        return space.isLow();
    }

    @Test
    void shouldBeLowWhereTheStoreIsOrWhereEachTierIs() {
        FreeSpace space = new FreeSpace(medium, STORE, List.of(HOT, COLD), 100);
        assertFalse(space.isLow());
        free.put(HOT, 0L); // appends go on in the other one
        assertFalse(isLow(space));
        free.put(COLD, 99L);
        assertTrue(isLow(space));
        free.put(HOT, 100L);
        assertFalse(isLow(space));
        free.put(STORE, 99L);
        assertTrue(isLow(space));
        assertTrue(new FreeSpace(medium, STORE, List.of(), 100).isLow());
        assertFalse(new FreeSpace(medium, STORE, List.of(), 0).isLow());
    }

    @Test
    void shouldKeepWhatItFoundWhenItCannotLook() {
        FreeSpace space = new FreeSpace(medium, STORE, List.of(), 100);
        for (long bytes : List.of(99L, 100L)) {
            free.put(STORE, bytes);
            boolean before = isLow(space);
            free.remove(STORE);
            assertEquals(before, isLow(space));
            assertEquals(before, isLow(space));
        }
    }
}
