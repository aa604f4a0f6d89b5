package io.firn.places;

import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.file.FileTier;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A reader in another process, which has the files mapped that a writer continues. */
final class Follow {
    private static final String AT_END = "at the end";

    private Follow() {}

    /** Wants the place, a file that will have the offset to end at, and the end now. */
    public static void main(String[] arguments) throws IOException {
        Path directory = Path.of(arguments[0]);
        Path stop = Path.of(arguments[1]);
        long[] next = {0};
        try (LogReader store =
                        LogStore.at(directory.resolve("store"))
                                .tier(FileTier.at(directory.resolve("segments")))
                                .openReadOnly();
                Tailer tailer = store.openTopic(PlaceStore.PLAIN).partition(0).openTailer()) {
            readTo(tailer, next, Long.parseLong(arguments[2]));
            System.out.println(AT_END);
            while (!Files.exists(stop)) {
                Thread.onSpinWait();
            }
            readTo(tailer, next, Long.parseLong(Files.readString(stop)));
        }
    }

    private static void readTo(Tailer tailer, long[] next, long end) {
        while (next[0] < end) {
            tailer.poll(
                    record -> {
                        PlaceStore.check(record, PlaceStore.PLAIN_BYTES, next[0]);
                        next[0] = record.offset() + 1;
                        return Action.CONTINUE;
                    },
                    100);
        }
    }

    /** Appends while such a reader has the files of a closed store mapped; it has to read all. */
    static String run(Path directory, Path stop, long end, PlaceOpener opener)
            throws IOException, InterruptedException {
        Process reader =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx128m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Follow.class.getName(),
                                directory.toString(),
                                stop.toString(),
                                Long.toString(end))
                        .redirectErrorStream(true)
                        .start();
        try (BufferedReader said =
                new BufferedReader(
                        new InputStreamReader(reader.getInputStream(), StandardCharsets.UTF_8))) {
            StringBuilder words = new StringBuilder();
            String line = said.readLine();
            while (line != null && !line.equals(AT_END)) {
                words.append(line).append(' ');
                line = said.readLine();
            }
            try (PlaceStore store = opener.open()) {
                store.append();
                Path written = stop.resolveSibling("stop.written");
                Files.writeString(written, Long.toString(store.end()));
                Files.move(written, stop);
                while ((line = said.readLine()) != null) {
                    words.append(line).append(' ');
                }
            }
            if (reader.waitFor() != 0) {
                throw new AssertionError("the reader in another process: " + words);
            }
            return "reads all";
        } finally {
            reader.destroyForcibly();
        }
    }
}
