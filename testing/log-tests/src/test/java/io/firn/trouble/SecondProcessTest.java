package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoreLockedException;
import io.firn.StoreOpenException;
import io.firn.file.FileTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One process writes; a second one is told who does (O9). */
class SecondProcessTest {
    private static final String OPEN = "open";
    private static final String REFUSED = "refused";

    @TempDir Path temporary;

    /** Holds a store open until its input ends. */
    static final class Holder {
        private Holder() {}

        /** With the directory. */
        public static void main(String[] arguments) throws IOException {
            try (LogStore store = new Disk(Path.of(arguments[0])).open()) {
                Disk.append(Disk.partition(store), 2);
                System.out.println(OPEN);
                while (System.in.read() >= 0) {
                    continue;
                }
            }
        }
    }

    /** Tries to open a store that somebody else has open. */
    static final class Intruder {
        private Intruder() {}

        /** With the directory. */
        public static void main(String[] arguments) {
            Disk disk = new Disk(Path.of(arguments[0]));
            try {
                disk.open().close();
                System.out.println(OPEN);
            } catch (StoreLockedException e) {
                System.out.println(REFUSED);
                System.out.println(e.getMessage());
            }
            try (LogReader store = disk.builder().openReadOnly()) {
                System.out.println(store.topicNames());
            }
        }
    }

    @Test
    void shouldTellASecondProcessWhoHasTheStoreOpen() throws Exception {
        Disk disk = new Disk(temporary);
        try (LogStore store = disk.open()) {
            Partition partition = Disk.partition(store);
            Disk.append(partition, 2);
            for (int i = 0; i < 2; i++) {
                try (Jvm intruder = new Jvm(Intruder.class, temporary)) {
                    String said = String.join("\n", intruder.end());
                    assertTrue(said.contains(REFUSED), said);
                    assertTrue(said.contains("pid " + ProcessHandle.current().pid()), said);
                    assertTrue(said.contains("[t]"), said);
                }
            }
            Disk.append(partition, 2);
        }
        try (Jvm next = new Jvm(Intruder.class, temporary)) {
            assertTrue(next.end().contains(OPEN));
        }
    }

    @Test
    void shouldOpenWhatAKilledProcessHadOpen() throws Exception {
        Disk disk = new Disk(temporary);
        try (Jvm holder = new Jvm(Holder.class, temporary)) {
            holder.await(OPEN);
            StoreLockedException refusal =
                    assertThrows(StoreLockedException.class, () -> disk.open().close());
            assertTrue(refusal.getMessage().contains("pid " + holder.pid()), refusal.getMessage());
            holder.kill();
        }
        try (LogStore store = disk.open()) {
            assertEquals(2, Disk.partition(store).nextOffset());
        }
    }

    /** Closing any other descriptor of a locked file drops the lock: none may be opened. */
    @Test
    void shouldKeepTheLockWhenRefusingThisProcessASecondTime() throws Exception {
        Disk disk = new Disk(temporary);
        Path link = temporary.resolve("link");
        try (LogStore store = disk.open()) {
            Files.createSymbolicLink(link, temporary.resolve("store"));
            for (Path way : new Path[] {temporary.resolve("store"), link}) {
                StoreLockedException refusal =
                        assertThrows(
                                StoreLockedException.class,
                                () ->
                                        LogStore.at(way)
                                                .tier(FileTier.at(disk.segments()))
                                                .open()
                                                .close());
                assertTrue(refusal.getMessage().contains("this process"), refusal.getMessage());
            }
            try (Jvm intruder = new Jvm(Intruder.class, temporary)) {
                assertTrue(intruder.end().contains(REFUSED));
            }
            Disk.append(Disk.partition(store), 2);
        }
    }

    @Test
    void shouldNotShareATierBetweenStores() {
        Disk disk = new Disk(temporary);
        try (LogStore store = disk.open()) {
            assertThrows(
                    StoreOpenException.class,
                    () ->
                            LogStore.at(temporary.resolve("other"))
                                    .tier(FileTier.at(disk.segments()))
                                    .open()
                                    .close());
            Disk.append(Disk.partition(store), 2);
        }
    }
}
