package io.firn.api;

import io.firn.LogReader;
import io.firn.Tailer;
import io.firn.TruncatedException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Another process that reads a replicated log while it is truncated. It removes what it is told to
 * be gone, and finally says what it has.
 */
final class TruncatedReadersChild {
    /** Said by a child that has so many records. */
    static final String READY = "ready";

    static final int READY_AT = 50;

    /** The last record. */
    static final String END = "end";

    private TruncatedReadersChild() {}

    static Process start(Path directory, String follows) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx64m");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(TruncatedReadersChild.class.getName());
        command.add(directory.toString());
        command.add(follows);
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    public static void main(String[] arguments) {
        List<String> seen = new ArrayList<>();
        int told = 0;
        boolean ready = false;
        TruncatedReadersTest.Follows follows = TruncatedReadersTest.Follows.valueOf(arguments[1]);
        try (LogReader store = follows.open(Path.of(arguments[0]));
                Tailer tailer = store.openTopic("t").openTailer()) {
            while (seen.isEmpty() || !seen.get(seen.size() - 1).equals(END)) {
                try {
                    tailer.forEach(
                            record -> {
                                if (record.offset() != seen.size()) {
                                    System.out.println("offset " + record.offset());
                                }
                                seen.add(Stores.text(record.copy().value()).trim());
                            },
                            20,
                            Duration.ofMillis(100));
                    if (!ready && seen.size() >= READY_AT) {
                        System.out.println(READY);
                        ready = true;
                    }
                } catch (TruncatedException e) {
                    told++;
                    seen.subList((int) e.truncatedTo(), seen.size()).clear();
                    tailer.seek(e.truncatedTo());
                }
            }
        } catch (RuntimeException | AssertionError e) {
            e.printStackTrace(System.out);
        }
        seen.forEach(System.out::println);
        System.out.println("told " + told);
    }
}
