package io.firn.file;

import io.firn.medium.MediumFile;
import io.firn.spi.Block;
import io.firn.spi.BlockCopy;
import io.firn.spi.Mark;
import io.firn.spi.Sidecar;
import java.io.IOException;

/**
 * A copy of a segment, in {@code .BASE.copy}. While that name is there, mark and sidecars of the
 * base offset are the copy's and mean nothing; the rename to {@code BASE.log}, which comes when
 * they are durable, publishes all of it at once.
 */
final class FileCopy implements BlockCopy {
    /** It never has a name with an epoch in it. */
    private static final long UNNAMED = -1;

    private final FileTier tier;
    private final PartitionDirectory directory;
    private final Mark mark;
    private final MediumFile file;
    private FileBlock made;
    private boolean abandoned;

    private FileCopy(FileTier tier, PartitionDirectory directory, Mark mark, MediumFile file) {
        this.tier = tier;
        this.directory = directory;
        this.mark = mark;
        this.file = file;
    }

    static FileCopy begin(FileTier tier, PartitionDirectory directory, Mark mark)
            throws IOException {
        long base = mark.baseOffset();
        directory.requireFree(base, UNNAMED, directory.copy(base));
        if (directory.medium().exists(directory.copy(base))) {
            directory.deleteCopy(base); // of an earlier try, whose end failed
        }
        MediumFile file = directory.medium().create(directory.copy(base));
        return new FileCopy(tier, directory, mark, file);
    }

    /** Bytes that it occupies, or will occupy. */
    long fileBytes() {
        return mark.position();
    }

    @Override
    public void write(int position, byte[] source, int offset, int length) throws IOException {
        try {
            file.write(position, source, offset, length);
        } catch (IOException e) {
            if (directory.isFull(e, length)) {
                throw directory.full(e, mark.position());
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
    public Block publish(byte[] index, byte[] timeIndex) throws IOException {
        long base = mark.baseOffset();
        // Durable before mark and sidecars: should they outlive it in a crash, nothing would say
        // that they mean nothing.
        directory.force();
        directory.writeSidecar(base, Sidecar.INDEX, index, true);
        directory.writeSidecar(base, Sidecar.TIMEINDEX, timeIndex, true);
        SealMark seal = new SealMark(mark, UNNAMED);
        directory.writeSeal(seal);
        directory.requireFree(base, UNNAMED, directory.copy(base));
        directory.medium().rename(directory.copy(base), directory.log(base));
        directory.force();
        made = new FileBlock(tier, directory, seal, file.size(), true);
        file.close();
        tier.endCopy(this, made);
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
            takeBack();
        }
        abandoned = true;
        tier.endCopy(this, null);
    }

    /** The rename may have come, though it was not certain. */
    private void takeBack() throws IOException {
        long base = mark.baseOffset();
        if (directory.medium().exists(directory.copy(base))) {
            directory.deleteCopy(base);
        } else {
            directory.deleteSealed(directory.log(base), base);
        }
        directory.force();
    }
}
