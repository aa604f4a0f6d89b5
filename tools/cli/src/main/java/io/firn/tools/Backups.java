package io.firn.tools;

import io.firn.Backup;
import io.firn.Backup.Part;
import io.firn.InvalidOptionException;
import java.io.IOException;

/** What is shown of a backup or a restored store. */
final class Backups {
    private Backups() {}

    static void checkRate(Long bytesPerSecond) {
        if (bytesPerSecond != null && bytesPerSecond < 1) {
            throw new InvalidOptionException(
                    "--bytes-per-second: at least 1 is expected, found " + bytesPerSecond);
        }
    }

    /** Prints it; the name is that of the first table. */
    static void print(Output output, Backup backup, String name) throws IOException {
        Table all =
                new Table(name)
                        .texts("directory", "time")
                        .bytes("total", "copied", "linked")
                        .row(
                                backup.directory(),
                                backup.time(),
                                backup.bytes().total(),
                                backup.bytes().copied(),
                                backup.bytes().linked());
        Table parts = new Table("partitions").texts("topic").numbers("partition", "start", "end");
        for (Part each : backup.parts()) {
            parts.row(each.topic(), each.partition(), each.startOffset(), each.endOffset());
        }
        output.print(all, parts);
    }
}
