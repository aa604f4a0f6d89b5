package io.firn.file;

import io.firn.medium.FileMedium;
import io.firn.spi.Mark;
import io.firn.spi.MarkFormat;
import java.io.IOException;
import java.nio.file.Path;

/** Finds out what the writing process has done to a segment that this process reads. */
final class FileFollower {
    private final FileMedium medium;
    private final PartitionDirectory directory;
    private final long fileEpoch;
    private final ReadSide readers;

    FileFollower(PartitionDirectory directory, long fileEpoch, ReadSide readers) {
        this.medium = directory.medium();
        this.directory = directory;
        this.fileEpoch = fileEpoch;
        this.readers = readers;
    }

    /** Returns the state of the file as it is now. */
    FileState refresh(FileState known) throws IOException {
        FileState state = known.isSealed() ? known : findSeal(known);
        return state.isSealed() && !state.isFinished() ? findFinalName(state) : state;
    }

    /** Reads the mark pages first: when they have been cut off, the mark file certainly exists. */
    private FileState findSeal(FileState known) throws IOException {
        MarkPages.Found found = readers.readMarks(known.path(), known.fileBytes());
        SealMark seal = found.seal();
        Mark newest = MarkFormat.newer(found.newest(), known.mark());
        long size = readers.size(known.path());
        if (seal == null && (newest == null || size != known.fileBytes())) {
            seal = directory.findSeal(fileEpoch);
        }
        return seal != null && seal.fileEpoch() == fileEpoch
                ? known.resized(size).sealed(seal.mark())
                : known.marked(newest);
    }

    private FileState findFinalName(FileState sealed) throws IOException {
        Path log = directory.plain(sealed.mark().baseOffset()).log();
        return medium.exists(log)
                ? sealed.resized(sealed.sealedBytes()).renamed(log).finished()
                : sealed;
    }
}
