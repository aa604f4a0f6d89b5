package io.firn.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.PoisonedException;
import io.firn.StoreLockedException;
import io.firn.follow.PublishedOffsetsFile;
import io.firn.medium.FileMedium;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.medium.FilterFileMedium;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a writer looks whether the store is still its own, and what it then knows (O31). */
class OwnershipTest {
    @TempDir private Path directory;
    private final Lock lock = new Lock();
    private String lostTier;
    private int looks;
    private final List<StoreLockedException> told = new ArrayList<>();
    private PublishedOffsetsFile ends;
    private Ownership ownership;

    /** Tells what the test says, and counts who asks. */
    private static final class Lock implements MediumLock {
        private String lost;
        private int asked;

        @Override
        public String lost() {
            asked++;
            return lost;
        }

        @Override
        public Object identity() {
            return "a file";
        }

        @Override
        public boolean isNew() {
            return false;
        }

        @Override
        public void close() {}
    }

    /** A system that says which start of it this is. */
    private static final class Machine extends FilterFileMedium {
        Machine() {
            super(FileMedium.real());
        }

        @Override
        public UUID runningSystem() {
            return new UUID(5, 6);
        }
    }

    @BeforeEach
    void open() throws IOException {
        StorageTier tier =
                (StorageTier)
                        Proxy.newProxyInstance(
                                StorageTier.class.getClassLoader(),
                                new Class<?>[] {StorageTier.class},
                                (self, method, all) -> lostTier);
        ownership = new Ownership(directory, List.of(tier));
        ownership.connect(() -> looks++, told::add);
        ownership.own(lock);
        ends = publish();
        ownership.publishedIn(ends);
    }

    private PublishedOffsetsFile publish() throws IOException {
        return PublishedOffsetsFile.create(
                new Machine(),
                directory,
                new PublishedOffsetsFile.Writer(new UUID(1, 2), lock, "pid 1"),
                finding -> {});
    }

    @AfterEach
    void close() {
        ends.close();
    }

    @Test
    void shouldLookAtTheLockOnceAndThenOnlyWhenItIsTime() {
        for (int i = 0; i < 3; i++) {
            assertTrue(ownership.isOurs());
        }
        assertEquals(1, lock.asked);
        assertEquals(1, looks, "so that it is made to look again");
        ownership.lookAgain();
        assertTrue(ownership.isOurs());
        assertEquals(2, lock.asked);
    }

    @Test
    void shouldFindOutThatTheLockIsLostWhenItLooksAndTellOnce() {
        assertTrue(ownership.isOurs());
        lock.lost = "found no file";
        ownership.lookAgain();
        assertFalse(ownership.isOurs());
        assertFalse(ownership.isOurs());
        assertFalse(ownership.look());
        assertEquals(1, told.size());
        assertTrue(told.get(0).getMessage().contains("found no file"));
        PoisonedException refused = assertThrows(PoisonedException.class, ownership::check);
        assertEquals(told.get(0), refused.getCause());
        lock.lost = null;
        assertFalse(ownership.isOurs(), "what was lost once stays lost");
    }

    @Test
    void shouldLookAtTheLockAtOnceWhenTheTermWasOverwritten() throws IOException {
        assertTrue(ownership.isOurs());
        PublishedOffsetsFile next = publish();
        next.close();
        assertTrue(ownership.isOurs(), "somebody overwrote it who has not the lock");
        assertEquals(2, lock.asked);
        lock.lost = "found another file";
        assertFalse(ownership.isOurs());
    }

    /** To ask wakes a thread, which each force would do. */
    @Test
    void shouldAskOnceToBeMadeToLookAgainWhereEachAcknowledgementLooks() throws IOException {
        assertTrue(ownership.isOurs());
        publish().close(); // the term is gone
        for (int i = 0; i < 3; i++) {
            assertTrue(ownership.isOurs());
        }
        assertEquals(4, lock.asked);
        assertEquals(1, looks, "it will be made to look again already");
        ownership.lookAgain();
        assertTrue(ownership.isOurs());
        assertEquals(2, looks);
    }

    @Test
    void shouldLookEachTimeWhereNothingIsPublished() {
        ownership.publishedIn(null);
        assertTrue(ownership.isOurs());
        lock.lost = "found no file";
        assertFalse(ownership.isOurs());
        assertEquals(0, looks);
    }

    @Test
    void shouldLoseTheStoreWithATier() throws IOException {
        Files.createDirectories(directory);
        lostTier = "found another file";
        assertFalse(ownership.isOurs());
    }

    @Test
    void shouldSayOfAStoreThatOnlyReadsThatItIsOurs() {
        Ownership reader = new Ownership(directory, List.of());
        assertTrue(reader.isOurs());
        reader.check();
    }
}
