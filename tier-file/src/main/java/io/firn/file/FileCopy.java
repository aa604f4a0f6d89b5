package io.firn.file;

import io.firn.medium.MediumFile;
import io.firn.spi.Block;
import io.firn.spi.BlockCopy;
import io.firn.spi.Mark;
import io.firn.spi.Sidecar;
import java.io.IOException;

/**
 * A copy of a segment that is being made in {@code .BASE.copy}. While a file of that name exists,
 * mark and sidecars of the base offset belong to the copy and are ignored. When they are durable,
 * the rename to {@code BASE.log} publishes everything at once.
 */
final class FileCopy implements BlockCopy {
    /** A copy never has a name that contains an epoch. */
    private static final long UNNAMED = -1;

    private final BlockOwner owner;
    private final Listener listener;
    private final PartitionDirectory directory;
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
            Mark begun,
            MediumFile file) {
        this.owner = owner;
        this.listener = listener;
        this.directory = directory;
        this.begun = begun;
        this.file = file;
    }

    static FileCopy begin(
            BlockOwner owner, Listener listener, PartitionDirectory directory, Mark mark)
            throws IOException {
        long base = mark.baseOffset();
        directory.requireFree(base, UNNAMED, directory.copy(base));
        if (directory.medium().exists(directory.copy(base))) {
            directory.deleteCopy(base); // of an earlier attempt that could not be cleaned up
        }
        MediumFile file = directory.medium().create(directory.copy(base));
        return new FileCopy(owner, listener, directory, mark, file);
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
                throw directory.full(e, begun.position());
            }
            throw e;
        }
    }

    @Override
    public void force() throws IOException {
        file.force();
    }

    @Override
    public int read(int position, byte[] target, int offset, int length) throws IOException {
        return file.read(position, target, offset, length);
    }

    @Override
    public Block publish(Mark mark, byte[] index, byte[] timeIndex) throws IOException {
        BlockCopy.check(begun, mark, written);
        long base = mark.baseOffset();
        // The hidden name is durable before mark and sidecars are written: if they survived a crash
        // without it, nothing would show that they must be ignored.
        directory.force();
        directory.writeSidecar(base, Sidecar.INDEX, index);
        directory.writeSidecar(base, Sidecar.TIMEINDEX, timeIndex);
        SealMark seal = new SealMark(mark, UNNAMED);
        directory.writeSeal(seal);
        directory.requireFree(base, UNNAMED, directory.copy(base));
        directory.medium().rename(directory.copy(base), directory.log(base));
        directory.force();
        made = new FileBlock(owner, directory, seal, file.size(), true);
        file.close();
        listener.ended(this, made);
        return made;
    }

    @Override
    public void abandon() throws IOException {
        if (abandoned) {
            return;
        }
        file.close();
        if (made != null) {
            made.delete();
        } else {
            deleteFiles();
        }
        abandoned = true;
        listener.ended(this, null);
    }

    /** The rename may have been done even if it was not certain to be durable. */
    private void deleteFiles() throws IOException {
        long base = begun.baseOffset();
        if (directory.medium().exists(directory.copy(base))) {
            directory.deleteCopy(base);
        } else {
            directory.deleteSealed(directory.log(base), base);
        }
        directory.force();
    }
}
