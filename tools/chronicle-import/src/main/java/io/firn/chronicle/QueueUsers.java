package io.firn.chronicle;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Which processes have files of a queue mapped so that they can write. Chronicle Queue locks a
 * queue only while a document is written, so only the operating system knows: Linux, and of
 * processes of other users only for root.
 */
final class QueueUsers {
    private static final Path PROCESSES = Path.of("/proc");

    private QueueUsers() {}

    /** The numbers of the processes other than this one. */
    static Set<Long> of(Path queue) throws IOException {
        Set<Long> users = new TreeSet<>();
        if (!Files.isDirectory(PROCESSES)) {
            return users;
        }
        // As bytes that are taken for characters, since other paths may be of any bytes.
        String prefix = new String((queue.toRealPath() + "/").getBytes(UTF_8), ISO_8859_1);
        try (Stream<Path> all = Files.list(PROCESSES)) {
            for (Path process : all.filter(QueueUsers::isProcess).toList()) {
                long id = Long.parseLong(process.getFileName().toString());
                if (id != ProcessHandle.current().pid() && writes(process, prefix)) {
                    users.add(id);
                }
            }
        }
        return users;
    }

    private static boolean isProcess(Path path) {
        return path.getFileName().toString().matches("[0-9]{1,18}");
    }

    private static boolean writes(Path process, String prefix) {
        try (Stream<String> maps = Files.lines(process.resolve("maps"), ISO_8859_1)) {
            return maps.anyMatch(
                    line -> {
                        int path = line.indexOf('/');
                        return path > 0
                                && line.startsWith(prefix, path)
                                && line.contains(".cq4")
                                && line.substring(0, path).contains(" rw");
                    });
        } catch (IOException | UncheckedIOException e) {
            return false; // it has ended, or belongs to someone else
        }
    }
}
