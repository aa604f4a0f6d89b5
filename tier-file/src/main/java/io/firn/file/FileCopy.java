package io.firn.file;

import io.firn.file.SealMark.SidecarSums;
import io.firn.medium.MediumFile;
import io.firn.spi.Block;
import io.firn.spi.BlockCopy;
import io.firn.spi.Mark;
import java.io.IOException;
import java.nio.file.Path;

/** A copy of a segment that is being made in a file, where {@link SegmentFiles} says. */
final class FileCopy implements BlockCopy {
    /** A copy never has a name that contains an epoch. */
    private static final long UNNAMED = -1;

    private final BlockOwner owner;
    private final Listener listener;
    private final PartitionDirectory directory;
    private final SegmentFiles files;
    private final Mark begun;
    private final MediumFile file;
    private int written;
    private FileBlock made;
    private boolean abandoned;

    /** Is told when a copy ends. */
    interface Listener {
        /**
         * Called when a copy has been published or abandoned.
         *
         * @param made the segment that it became; null when it was abandoned
         */
        void ended(FileCopy copy, FileBlock made);
    }

    private FileCopy(
            BlockOwner owner,
            Listener listener,
            PartitionDirectory directory,
            SegmentFiles files,
            Mark begun,
            MediumFile file) {
        this.owner = owner;
        this.listener = listener;
        this.directory = directory;
        this.files = files;
        this.begun = begun;
        this.file = file;
    }

    static FileCopy begin(
            BlockOwner owner, Listener listener, PartitionDirectory directory, Mark mark)
            throws IOException {
        SegmentFiles files = directory.filesOf(mark);
        try {
            return new FileCopy(owner, listener, directory, files, mark, files.beginCopy());
        } catch (IOException e) {
            throw directory.orFull(e, 1, mark.position());
        }
    }

    /**
     * Returns the bytes that the copy occupies at most; from the publishing on its block counts.
     */
    long fileBytes() {
        return begun.position();
    }

    @Override
    public void write(int position, byte[] source, int offset, int length) throws IOException {
        try {
            file.write(position, source, offset, length);
            written = position + length;
        } catch (IOException e) {
            if (directory.isFull(e, length)) {
                owner.spareFiles().drop(); // for the next try
            }
            throw directory.orFull(e, length, begun.position());
        }
    }

    @Override
    public void force() throws IOException {
        try {
            file.force();
        } catch (IOException e) {
            throw directory.orFull(e, 1, begun.position());
        }
    }

    @Override
    public int read(int position, byte[] target, int offset, int length) throws IOException {
        return file.read(position, target, offset, length);
    }

    @Override
    public Block publish(Mark mark, byte[] index, byte[] timeIndex) throws IOException {
        BlockCopy.check(begun, mark, written);
        SidecarSums sums = SidecarSums.of(index, timeIndex);
        SealMark seal = new SealMark(mark, UNNAMED, sums);
        long bytes = file.size();
        file.close(); // some systems rename no directory while a file in it is open
        try {
            files.publish(seal, index, timeIndex);
        } catch (IOException e) {
            throw directory.orFull(e, 1, begun.position());
        }
        FileState state = FileState.finished(files, seal, bytes);
        made = new FileBlock(owner, directory, files, UNNAMED, state);
        listener.ended(this, made);
        return made;
    }

    /** Ends the use of the file by a copy that the next open removes. */
    void closeFile() {
        try {
            file.close();
        } catch (IOException e) {
            return; // nothing of it counts
        }
    }

    /** Returns the name that its log gets. */
    Path log() {
        return files.log();
    }

    /** Also called by the thread that begins the next copy of this name. */
    @Override
    public synchronized void abandon() throws IOException {
        if (abandoned) {
            return;
        }
        file.close();
        if (made != null) {
            made.delete();
        } else {
            files.deleteCopy();
        }
        abandoned = true;
        listener.ended(this, null);
    }
}
