package io.firn.file;

import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import io.firn.spi.Mark;
import io.firn.spi.MarkFormat;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;

/**
 * Makes the file of a new segment, of its final size: writes both mark pages, with the first mark,
 * under a temporary name that is ignored after a crash, and renames it when that is durable (O16).
 * The rest is a hole, so that a segment begins with next to no space and costs no time; or what a
 * spare file has ({@link SpareFiles}), so that writing it costs less.
 */
final class Reservation {
    private final BlockOwner owner;
    private final PartitionDirectory directory;
    private final FileMedium medium;
    private final int bytes;
    private final long fileBytes;
    private final long epoch;
    private final Path path;
    private final Path temporary;
    private final SpareFiles.Spare spare;

    /**
     * Prepares a reservation.
     *
     * @param spare the file to use, of which the caller deletes what is left; null for a new one
     */
    Reservation(
            BlockOwner owner,
            PartitionDirectory directory,
            int bytes,
            long epoch,
            SpareFiles.Spare spare) {
        this.owner = owner;
        this.directory = directory;
        this.medium = directory.medium();
        this.bytes = bytes;
        this.fileBytes = MarkPages.fileBytes(bytes);
        this.epoch = epoch;
        this.path = directory.active(epoch);
        this.temporary = directory.path().resolve(FileNames.temporaryActive(epoch));
        this.spare = spare;
    }

    FileBlock make() throws IOException {
        if (medium.exists(path)) {
            throw new IOException(
                    path + " already exists: epoch " + epoch + " was given to two segments");
        }
        try {
            write();
            medium.rename(temporary, path);
            directory.force();
            return open();
        } catch (IOException e) {
            boolean full = directory.isFull(e, MarkPages.BYTES);
            cleanUp(e);
            if (full) {
                throw directory.full(e, fileBytes);
            }
            throw e;
        } catch (RuntimeException | Error e) { // also for a lack of memory, which may pass
            cleanUp(e);
            throw e;
        }
    }

    private void write() throws IOException {
        try (MediumFile file = create()) {
            file.setSize(fileBytes);
            // From the start of a page of memory, which may be larger than those of the marks.
            long from = MarkPages.slotPosition(fileBytes, 0) / Mapping.PAGE * Mapping.PAGE;
            byte[] marks = new byte[(int) (fileBytes - from)];
            Mark mark = Mark.reserved(directory.topicId(), directory.partition(), epoch);
            byte[] encoded = MarkFormat.encode(mark);
            System.arraycopy(encoded, 0, marks, marks.length - MarkPages.BYTES, encoded.length);
            if (spare != null) {
                MarkPages.markRecycled(marks);
            }
            // Both pages whole: marks are stored through the mapping.
            file.write(from, marks, 0, marks.length);
            // Before the rename: a file of the final name has its size and its marks.
            file.force();
        }
    }

    private MediumFile create() throws IOException {
        if (spare != null) {
            medium.rename(spare.path(), temporary);
            return medium.open(temporary, true);
        }
        try {
            return medium.create(temporary);
        } catch (FileAlreadyExistsException e) {
            medium.delete(temporary); // an earlier try could not
            return medium.create(temporary);
        }
    }

    private FileBlock open() throws IOException {
        MediumFile file = medium.open(path, true);
        FileBlock segment = null;
        try {
            MarkPages.Found found = MarkPages.read(file, fileBytes);
            segment = new FileBlock(owner, directory, epoch, file, found, bytes, true);
            return segment;
        } catch (IOException | RuntimeException | Error e) {
            if (segment == null) {
                file.close();
            } else {
                segment.release();
            }
            throw e;
        }
    }

    private void cleanUp(Throwable reason) {
        try {
            medium.delete(temporary);
            medium.delete(path);
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }
}
