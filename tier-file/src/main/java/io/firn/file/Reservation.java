package io.firn.file;

import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.spi.Mark;
import io.firn.spi.MarkFormat;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Makes the file of a new segment: real zeros for all of its room, then its first mark, under a
 * name that means nothing until all of that is durable.
 */
final class Reservation {
    /**
     * Zeros are written in pieces of this size. Bigger ones make Linux keep the file in bigger
     * folios, of which a later force writes every byte for each small store (measured: 1 MiB pieces
     * double the cost of a force of 64 bytes).
     */
    private static final int PIECE = 16 * 1024;

    private final FileTier tier;
    private final PartitionDirectory directory;
    private final FileMedium medium;
    private final int bytes;
    private final long fileBytes;
    private final long epoch;
    private final Path path;
    private final Path temporary;

    Reservation(FileTier tier, PartitionDirectory directory, int bytes, long epoch) {
        this.tier = tier;
        this.directory = directory;
        this.medium = directory.medium();
        this.bytes = bytes;
        this.fileBytes = MarkPages.fileBytes(bytes);
        this.epoch = epoch;
        this.path = directory.active(epoch);
        this.temporary = directory.path().resolve(FileNames.temporary(FileNames.active(epoch)));
    }

    FileBlock make() throws IOException {
        if (medium.exists(path)) {
            throw new IOException(
                    path + " is there already: epoch " + epoch + " was given to two segments");
        }
        try {
            write();
            medium.rename(temporary, path);
            directory.reserveSeals();
            directory.force();
            return open();
        } catch (IOException e) {
            boolean full = directory.isFull(e, PIECE);
            takeBack(e);
            if (full) {
                throw directory.full(e, fileBytes);
            }
            throw e;
        } catch (RuntimeException e) {
            takeBack(e);
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
            // Before the rename: the name promises that the space is there.
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
            segment = new FileBlock(tier, directory, epoch, file, found, bytes);
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

    private void takeBack(Exception reason) {
        try {
            medium.delete(temporary);
            medium.delete(directory.sealRoom(epoch));
            medium.delete(path);
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }
}
