package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.FilterFileMedium.FilterMediumFile;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors of the JVM while a block is made: the append that waits for it gets an exception. */
class ErrorsInBlocksTest {
    private static final Logger LOG = Logger.getLogger("io.firn");

    @TempDir private Path directory;

    /** Throws an error when a file is mapped. */
    private static final class Erroneous extends FilterFileMedium {
        private volatile Error error;

        Erroneous() {
            super(FileMedium.real());
        }

        @Override
        protected MediumFile wrap(Path path, MediumFile file) {
            return new FilterMediumFile(file) {
                @Override
                public Mapping map(int length, boolean writable) throws IOException {
                    if (error != null) {
                        throw error;
                    }
                    return super.map(length, writable);
                }
            };
        }
    }

    private static Error error(String name) {
        return switch (name) {
            case "no thread" -> new OutOfMemoryError("unable to create native thread");
            case "no stack" -> new StackOverflowError("too deep");
            case "no class" -> new NoClassDefFoundError("Could not initialize class");
            default -> new InternalError("a fault");
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"no thread", "no stack", "no class", "fault"})
    void shouldThrowToTheAppendThatWaitsAndWorkWhenTheCauseIsGone(String name) throws IOException {
        Level before = LOG.getLevel();
        LOG.setLevel(Level.OFF);
        Erroneous medium = new Erroneous();
        try (LogStore store = new Disk(directory, medium).open();
                Appender appender = Disk.partition(store).openExclusiveAppender()) {
            medium.error = error(name);
            for (int i = 0; i < 3; i++) {
                FirnException failed =
                        assertThrows(FirnException.class, () -> appender.append(Disk.value(0)));
                assertTrue(failed.getMessage().contains(medium.error.getMessage() + ""));
            }
            medium.error = null;
            // So little that no block is set aside for the next segment.
            assertEquals(0, appender.append(new byte[99]));
            assertEquals(1, activeFiles(), "those that failed are gone");
        } finally {
            LOG.setLevel(before);
        }
    }

    private long activeFiles() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".active")).count();
        }
    }

    @Test
    void shouldThrowToAppendsWhileThereIsNoDirectMemoryAndWorkWhenThereIs() throws Exception {
        try (Jvm child =
                new Jvm(List.of("-XX:MaxDirectMemorySize=128k"), NoMemory.class, directory)) {
            List<String> said = child.end();
            assertTrue(said.contains("refused"), said::toString);
            assertTrue(said.contains("worked"), said::toString);
        }
    }

    /** Appends while all direct memory is taken, and when it is free again. */
    static final class NoMemory {
        private static final List<ByteBuffer> TAKEN = new ArrayList<>();

        private NoMemory() {}

        public static void main(String[] arguments) {
            LOG.setLevel(Level.OFF);
            try (LogStore store = new Disk(Path.of(arguments[0])).open();
                    Appender appender = Disk.partition(store).openExclusiveAppender()) {
                takeAll();
                for (int i = 0; i < 20; i++) {
                    FirnException failed =
                            assertThrows(FirnException.class, () -> appender.append(new byte[99]));
                    assertTrue(
                            failed.getMessage().contains("MaxDirectMemorySize"),
                            failed::getMessage);
                }
                System.out.println("refused");
                TAKEN.clear(); // the JVM collects them when it needs some
                for (int i = 0; i < 1_000; i++) {
                    assertEquals(i, appender.append(new byte[99]));
                }
                assertFalse(store.findings().toString().contains("poison"));
                System.out.println("worked");
            }
        }

        private static void takeAll() {
            for (int bytes = 64 * 1024; bytes > 0; bytes /= 2) {
                try {
                    while (true) {
                        TAKEN.add(ByteBuffer.allocateDirect(bytes));
                    }
                } catch (OutOfMemoryError e) {
                    continue; // a smaller one may fit
                }
            }
        }
    }
}
