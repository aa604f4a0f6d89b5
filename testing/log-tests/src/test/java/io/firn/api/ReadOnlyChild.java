package io.firn.api;

import io.firn.LogReader;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.UnknownTopicException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Another process that tails a store; what it has to say is on its standard output. */
final class ReadOnlyChild {
    private ReadOnlyChild() {}

    static Process start(Path directory, List<String> topics, int count) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx64m");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(ReadOnlyChild.class.getName());
        command.add(directory.toString());
        command.add(Integer.toString(count));
        command.addAll(topics);
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }

    /** Reads so many records of each topic and compares them. */
    public static void main(String[] arguments) {
        Path directory = Path.of(arguments[0]);
        int count = Integer.parseInt(arguments[1]);
        try (LogReader store = Stores.at(directory).openReadOnly()) {
            for (String topic : Arrays.asList(arguments).subList(2, arguments.length)) {
                Stores.await("topic " + topic, () -> isThere(store, topic));
                Tailer tailer = store.openTopic(topic).openTailer();
                List<StoredRecord> found = Stores.read(tailer, count);
                for (int i = 0; i < count; i++) {
                    StoredRecord record = found.get(i);
                    if (record.offset() != i
                            || !Arrays.equals(Stores.numbered(i, 3_000), record.value())) {
                        System.out.println(topic + ": wrong at " + i);
                        return;
                    }
                }
                System.out.println(topic + ": " + count + " as expected");
            }
        } catch (RuntimeException | AssertionError e) {
            System.out.println(e);
        }
    }

    private static boolean isThere(LogReader store, String topic) {
        try {
            store.openTopic(topic);
            return true;
        } catch (UnknownTopicException e) {
            return false;
        }
    }
}
