package io.firn.places;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** What is wrong in a place, if the program itself can begin and end it. */
enum Cause {
    /** The script has arranged it, for the whole life of the JVM. */
    OUTSIDE {
        @Override
        void begin(Path directory) {}

        @Override
        void end(Path directory) {}
    },

    /** Empty files take all inodes. */
    NO_INODES {
        @Override
        void begin(Path directory) throws IOException {
            Files.createDirectories(ballast(directory));
            fill(directory, new byte[0]);
        }

        @Override
        void end(Path directory) throws IOException {
            empty(ballast(directory));
        }
    },

    /** Files take all bytes: large ones as long as they fit, then small ones. */
    NO_BYTES {
        @Override
        void begin(Path directory) throws IOException {
            Files.createDirectories(ballast(directory));
            for (int bytes = 1 << 20; bytes > 0; bytes /= 16) {
                fill(directory, new byte[bytes]);
            }
        }

        @Override
        void end(Path directory) throws IOException {
            empty(ballast(directory));
        }
    },

    /** Idle threads take all that the system allows. */
    NO_THREADS {
        private final CountDownLatch gone = new CountDownLatch(1);
        private final List<Thread> idle = new ArrayList<>();

        @Override
        void begin(Path directory) {
            try {
                while (true) {
                    Thread next = new Thread(() -> await(gone), "idle");
                    next.setDaemon(true);
                    next.start();
                    idle.add(next);
                }
            } catch (OutOfMemoryError e) {
                // There are no more, as it is wanted.
                return;
            }
        }

        @Override
        void end(Path directory) throws InterruptedException {
            gone.countDown();
            for (Thread each : idle) {
                each.join();
            }
            idle.clear();
        }
    };

    private static int files;

    /** Whether a store that was opened before can read, delete, and be opened during it. */
    boolean leavesReserve() {
        return this == NO_INODES || this == NO_BYTES;
    }

    /** Begins it, or takes what was given back since. */
    abstract void begin(Path directory) throws IOException;

    abstract void end(Path directory) throws IOException, InterruptedException;

    private static Path ballast(Path directory) {
        return directory.resolve("ballast");
    }

    private static void fill(Path directory, byte[] content) throws IOException {
        while (true) {
            Path next = ballast(directory).resolve("b" + files++);
            try {
                Files.write(next, content);
            } catch (IOException e) {
                if (content.length > 0) {
                    Files.deleteIfExists(next);
                }
                return; // full
            }
        }
    }

    private static void empty(Path directory) throws IOException {
        try (var all = Files.list(directory)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                Files.delete(each);
            }
        }
    }

    private static void await(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            return; // it ends as well
        }
    }
}
