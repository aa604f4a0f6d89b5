package io.firn.file;

import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.spi.Mark;
import io.firn.spi.MarkFormat;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Makes the file of a new segment: writes zeros to all of it, then its first mark, under a
 * temporary name that is ignored after a crash, and renames it when all of that is durable.
 */
final class Reservation {
    /**
     * Zeros are written in pieces of this size. With larger pieces Linux keeps the file in larger
     * folios, and a later force of a small store writes a whole folio (measured: pieces of 1 MiB
     * double the cost of a force of 64 bytes).
     */
    private static final int PIECE = 16 * 1024;

    private final FileBlock.Owner owner;
    private final PartitionDirectory directory;
    private final FileMedium medium;
    private final int bytes;
    private final long fileBytes;
    private final long epoch;
    private final Path path;
    private final Path temporary;

    Reservation(FileBlock.Owner owner, PartitionDirectory directory, int bytes, long epoch) {
        this.owner = owner;
        this.directory = directory;
        this.medium = directory.medium();
        this.bytes = bytes;
        this.fileBytes = MarkPages.fileBytes(bytes);
        this.epoch = epoch;
        this.path = directory.active(epoch);
        this.temporary = directory.path().resolve(FileNames.temporaryActive(epoch));
    }

    FileBlock make() throws IOException {
        if (medium.exists(path)) {
            throw new IOException(
                    path + " already exists: epoch " + epoch + " was given to two segments");
        }
        try {
            write();
            medium.rename(temporary, path);
            directory.reserveSeals();
            directory.force();
            return open();
        } catch (IOException e) {
            boolean full = directory.isFull(e, PIECE);
            cleanUp(e);
            if (full) {
                throw directory.full(e, fileBytes);
            }
            throw e;
        } catch (RuntimeException e) {
            cleanUp(e);
            throw e;
        }
    }

    private void write() throws IOException {
        medium.delete(temporary);
        try (MediumFile file = medium.create(temporary)) {
            writeZeros(file);
            Mark mark = Mark.reserved(directory.topicId(), directory.partition(), epoch);
            byte[] encoded = MarkFormat.encode(mark);
            file.write(MarkPages.slotPosition(fileBytes, 0), encoded, 0, encoded.length);
            // Before the rename: a file of the final name has all of its space.
            file.force();
        }
    }

    private void writeZeros(MediumFile file) throws IOException {
        byte[] zeros = new byte[PIECE];
        for (long position = 0; position < fileBytes; position += PIECE) {
            int length = (int) Math.min(PIECE, fileBytes - position);
            file.write(position, zeros, 0, length);
        }
    }

    private FileBlock open() throws IOException {
        MediumFile file = medium.open(path, true);
        FileBlock segment = null;
        try {
            MarkPages.Found found = MarkPages.read(file, fileBytes);
            segment = new FileBlock(owner, directory, epoch, file, found, bytes);
            segment.prefault();
            return segment;
        } catch (IOException | RuntimeException e) {
            if (segment == null) {
                file.close();
            } else {
                segment.release();
            }
            throw e;
        }
    }

    private void cleanUp(Exception reason) {
        try {
            medium.delete(temporary);
            medium.delete(directory.reservedSeal(epoch));
            medium.delete(path);
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }
}
