package io.firn.golden;

import io.firn.Appender;
import io.firn.Compression;
import io.firn.Durability;
import io.firn.MissingCodecException;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.host.HostedAppender;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a program does that has no codec's library on its class path, and what it gets. */
final class WithoutCodecs {
    private WithoutCodecs() {}

    /** Wants the store's directory, and perhaps one with a foreign batch for each codec. */
    public static void main(String[] arguments) throws IOException {
        try (FileStore files = new FileStore(Path.of(arguments[0]))) {
            for (Compression codec : Compression.values()) {
                appendOwn(files, codec);
                if (arguments.length > 1) {
                    appendForeign(files, codec, Path.of(arguments[1]));
                }
            }
        }
    }

    private static void appendOwn(FileStore files, Compression codec) {
        Partition partition = partition(files, "own-" + codec, codec);
        try (Appender appender = partition.openExclusiveAppender()) {
            appender.append("alone".getBytes(StandardCharsets.UTF_8));
            try {
                appender.append(appender.newBatch().add(new byte[100]));
                say(codec, "own batch appended");
            } catch (MissingCodecException e) {
                say(codec, "own batch refused: " + e.getMessage());
            }
        }
        say(codec, "own records " + FileStore.readAll(partition).size());
    }

    private static void appendForeign(FileStore files, Compression codec, Path batches)
            throws IOException {
        Partition partition = partition(files, "foreign-" + codec, Compression.NONE);
        byte[] batch = Files.readAllBytes(batches.resolve(codec.name()));
        long behind;
        try (Appender appender = partition.openExclusiveAppender()) {
            HostedAppender.of(appender).appendBatch(ByteBuffer.wrap(batch));
            behind = appender.append("behind".getBytes(StandardCharsets.UTF_8));
        }
        try {
            say(codec, "foreign records " + FileStore.readAll(partition).size());
        } catch (MissingCodecException e) {
            say(codec, "foreign batch not read: " + e.getMessage());
        }
        try (Tailer tailer = partition.openTailer()) {
            tailer.seek(behind);
            say(codec, "after it " + tailer.poll(record -> Action.CONTINUE, 10));
        }
    }

    private static Partition partition(FileStore files, String name, Compression codec) {
        return files.store()
                .createTopic(
                        name,
                        FileStore.options()
                                .withDurability(Durability.WRITTEN)
                                .withCompression(codec))
                .partition(0);
    }

    private static void say(Compression codec, String what) {
        System.out.println(codec + ": " + what);
    }
}
