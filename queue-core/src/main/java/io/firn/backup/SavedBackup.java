package io.firn.backup;

import io.firn.Backup;
import io.firn.Backup.Bytes;
import io.firn.Backup.Part;
import io.firn.LogStore.MoveControl;
import io.firn.MediumException;
import io.firn.RetryableException;
import io.firn.backup.BackupDirectory.Manifest;
import io.firn.medium.FileErrors;
import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.move.CheckedCopy.Pace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;

/** A complete backup that is read. For one thread. */
public final class SavedBackup {
    private static final int PIECE = 1 << 20;

    private final BackupDirectory directory;
    private final FileMedium medium;
    private final Manifest manifest;
    private final List<SavedTopic> topics = new ArrayList<>();
    private final byte[] piece = new byte[PIECE];
    private final Pace pace;
    private long done;
    private long total;

    /** Takes the bytes of a segment, in order. */
    @FunctionalInterface
    interface Target {
        void write(int position, byte[] source, int length) throws IOException;
    }

    /**
     * Reads what says that it is complete, and what is in it.
     *
     * @param control called before each piece of a segment that is read
     * @throws IOException when there is none, or what it says of itself is damaged
     */
    SavedBackup(FileMedium medium, Path root, MoveControl control) throws IOException {
        this.medium = medium;
        this.pace = new Pace(control, () -> true);
        this.directory = new BackupDirectory(medium, root);
        this.manifest = directory.read();
        if (manifest == null) {
            throw new IOException(
                    "there is no complete backup in "
                            + directory.root()
                            + ": the file 'backup', which is written last, is missing");
        }
        directory.store(manifest.store());
        visit(
                (name, content) -> {
                    if (name.startsWith(SavedState.SEGMENTS)) {
                        UUID id = UUID.fromString(name.substring(SavedState.SEGMENTS.length()));
                        topics.add(SavedTopic.decode(stateFile(), id, content));
                    }
                });
    }

    private Path stateFile() {
        return directory.state(manifest.number());
    }

    /** Shows the small files; they are compared with their checksum before. */
    void visit(StateBundle.Visitor visitor) throws IOException {
        StateBundle.read(medium, stateFile(), manifest.state(), visitor);
    }

    List<SavedTopic> topics() {
        return topics;
    }

    List<String> features() {
        return manifest.features();
    }

    Path root() {
        return directory.root();
    }

    /** Returns the description of it, or of what was made of it. */
    Backup describe(Path where, List<Part> parts, long bytes, long copied) {
        return new Backup(
                where, Instant.ofEpochMilli(manifest.timeMs()), parts, new Bytes(bytes, copied, 0));
    }

    MediumFile open(SavedSegment segment) throws IOException {
        return medium.open(directory.fileOf(segment), false);
    }

    /** Sets the segments that will be read, for the control. */
    void expect(Collection<SavedSegment> segments) {
        total = segments.stream().mapToLong(SavedSegment::length).sum();
    }

    /**
     * Reads a segment, and compares it with its checksum.
     *
     * @throws RetryableException when the control cancels it
     */
    void read(SavedSegment segment, Target target) throws IOException {
        Path path = directory.fileOf(segment);
        CRC32C crc = new CRC32C();
        try (MediumFile file = medium.open(path, false)) {
            if (file.size() != segment.length()) {
                throw new DamagedFileException(
                        path
                                + " is damaged: it has "
                                + file.size()
                                + " bytes, expected "
                                + segment.length());
            }
            for (int at = 0; at < segment.length(); at += piece.length) {
                int wanted = Math.min(piece.length, segment.length() - at);
                if (!pace.pause(done, total, wanted)) {
                    throw new RetryableException(
                            "reading the backup in " + root() + " was cancelled");
                }
                int read = Math.max(0, file.read(at, piece, 0, wanted));
                done += wanted;
                crc.update(piece, 0, read);
                target.write(at, piece, read);
            }
        }
        if ((int) crc.getValue() != segment.crc()) {
            throw new DamagedFileException(
                    path
                            + " is damaged: its bytes have the CRC-32C "
                            + Integer.toHexString((int) crc.getValue())
                            + ", expected "
                            + Integer.toHexString(segment.crc()));
        }
    }

    /** Reads all of it; see {@link Backup#verify(Path, MoveControl)}. */
    public static Backup verify(FileMedium medium, Path root, MoveControl control) {
        try {
            SavedBackup saved = new SavedBackup(medium, root, control);
            List<Part> parts = new ArrayList<>();
            List<SavedSegment> segments = new ArrayList<>();
            for (SavedTopic topic : saved.topics()) {
                for (SavedPartition each : topic.partitions()) {
                    segments.addAll(each.segments());
                    if (!topic.isJournal()) {
                        parts.add(new Part(topic.name(), each.index(), each.start(), each.end()));
                    }
                }
            }
            saved.expect(segments);
            for (SavedSegment each : segments) {
                saved.read(each, (position, source, length) -> {});
            }
            return saved.describe(saved.root(), parts, saved.total, 0);
        } catch (IOException e) {
            throw new MediumException("the backup in " + root + ": " + FileErrors.describe(e), e);
        }
    }
}
