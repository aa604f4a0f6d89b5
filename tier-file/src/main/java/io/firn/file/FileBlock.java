package io.firn.file;

import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.MarkFormat;
import io.firn.spi.SegmentState;
import io.firn.spi.Sidecar;
import io.firn.spi.StorageTier;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A segment in a file. Its life: hidden and written to; hidden and sealed, when {@code BASE.mark}
 * says so; cut to length under its final name. The steps of sealing are in an order in which a
 * crash between any two leaves a segment that is either not sealed or can be finished again; {@link
 * PartitionScan} tells which.
 */
final class FileBlock implements Block {
    private final FileTier tier;
    private final PartitionDirectory directory;
    private final FileMedium medium;
    private final long fileEpoch;
    private final int room;
    private final ReadSide readers;

    private volatile ActiveFile active;
    private volatile Mark mark;
    private volatile Path path;
    private volatile long fileBytes;
    private volatile boolean finished;
    private volatile boolean deleted;

    /**
     * A segment that is not sealed.
     *
     * @param file open, writable unless the tier is read-only; the segment's from now on
     * @param found what its mark pages say
     * @param room bytes for batches
     */
    FileBlock(
            FileTier tier,
            PartitionDirectory directory,
            long epoch,
            MediumFile file,
            MarkPages.Found found,
            int room)
            throws IOException {
        this.tier = tier;
        this.directory = directory;
        this.medium = directory.medium();
        this.fileEpoch = epoch;
        this.room = room;
        this.path = directory.active(epoch);
        this.fileBytes = found.fileBytes();
        this.mark = found.newest();
        View view = null;
        if (mark != null && !directory.readOnly()) {
            ActiveFile writer = new ActiveFile(path, file, room, found.slot());
            // From the start, for it is the view's release that unmaps the writer's mapping.
            view =
                    new View(
                            writer.memory().asReadOnlyBuffer(),
                            handedOut -> writer.release(tier.uncollected(), handedOut));
            active = writer;
        }
        this.readers = new ReadSide(medium, tier.uncollected(), file, view);
    }

    /** A segment that is sealed. */
    FileBlock(
            FileTier tier,
            PartitionDirectory directory,
            SealMark seal,
            long fileBytes,
            boolean finished) {
        this.tier = tier;
        this.directory = directory;
        this.medium = directory.medium();
        this.fileEpoch = seal.fileEpoch();
        this.room = 0;
        this.path =
                finished ? directory.log(seal.mark().baseOffset()) : directory.active(fileEpoch);
        this.fileBytes = fileBytes;
        this.mark = seal.mark();
        this.finished = finished;
        this.readers = new ReadSide(medium, tier.uncollected(), null, null);
    }

    @Override
    public StorageTier tier() {
        return tier;
    }

    @Override
    public String name() {
        return path.toString();
    }

    /** What it is known by while the tier is open, whatever its file is called. */
    Path key() {
        return fileEpoch < 0 ? directory.log(mark.baseOffset()) : directory.active(fileEpoch);
    }

    Path path() {
        return path;
    }

    @Override
    public long usedBytes() {
        return deleted ? 0 : fileBytes;
    }

    private boolean isSealed() {
        Mark current = mark;
        return current != null && current.state() == SegmentState.SEALED;
    }

    @Override
    public int capacity() {
        Mark current = mark;
        boolean sealed = current != null && current.state() == SegmentState.SEALED;
        return sealed ? (int) Math.min(current.position(), fileBytes) : room;
    }

    @Override
    public Mark mark() {
        return mark;
    }

    @Override
    public ByteBuffer memory() {
        return writer().memory();
    }

    void prefault() throws IOException {
        writer().prefault();
    }

    @Override
    public void force(int from, int to) throws IOException {
        ActiveFile writer = active;
        try {
            if (writer != null) {
                writer.force(from, to);
                return;
            }
        } catch (IOException e) {
            // What is sealed was forced before, and its file may be cut while we look at its size.
            if (!isSealed()) {
                throw e;
            }
        }
        if (!isSealed()) {
            throw notWritable();
        }
    }

    @Override
    public void writeMark(Mark next) throws IOException {
        writeMark(next, false);
    }

    @Override
    public void rewriteMark(Mark next) throws IOException {
        writeMark(next, true);
    }

    private void writeMark(Mark next, boolean both) throws IOException {
        requireWritableTier();
        if ((next.state() == SegmentState.SEALED) != isSealed()) {
            throw new IllegalArgumentException(
                    name() + " is " + describe() + " and cannot be marked " + next.state());
        }
        if (isSealed()) {
            directory.writeSeal(new SealMark(next, fileEpoch));
        } else if (both) {
            writer().rewriteMark(next);
        } else {
            writer().writeMark(next);
        }
        mark = next;
    }

    @Override
    public void seal(Mark sealed) throws IOException {
        int limit = memory().capacity();
        if (sealed.state() != SegmentState.SEALED
                || sealed.baseOffset() < 0
                || sealed.position() > limit) {
            throw new IllegalArgumentException(
                    name() + " with " + limit + " bytes cannot be sealed with " + sealed);
        }
        directory.requireFree(sealed.baseOffset(), fileEpoch);
        directory.writeSeal(new SealMark(sealed, fileEpoch));
        mark = sealed;
    }

    @Override
    public void finishSeal(byte[] index, byte[] timeIndex) throws IOException {
        requireWritableTier();
        if (finished) {
            return;
        }
        if (!isSealed()) {
            throw new IllegalStateException(name() + " is not sealed yet");
        }
        active = null;
        Path log = directory.log(mark.baseOffset());
        if (!path.equals(log)) {
            fileBytes = directory.cut(path, mark.position());
            directory.writeSidecar(mark.baseOffset(), Sidecar.INDEX, index, true);
            directory.writeSidecar(mark.baseOffset(), Sidecar.TIMEINDEX, timeIndex, true);
            directory.requireFree(mark.baseOffset(), fileEpoch);
            // Last, so that a reader in another process finds what belongs to the final name.
            medium.rename(path, log);
            path = log;
        }
        medium.delete(directory.sealRoom(fileEpoch));
        directory.force();
        finished = true;
        readers.closeFile();
    }

    @Override
    public boolean isFinished() {
        return finished;
    }

    @Override
    public synchronized Mark refreshMark() throws IOException {
        if (directory.readOnly()) {
            if (!isSealed()) {
                lookForSeal();
            }
            if (isSealed() && !finished) {
                lookForFinish();
            }
        }
        return mark;
    }

    /** Looks at the mark pages first: when they are cut off, the seal is certain to be there. */
    private void lookForSeal() throws IOException {
        Mark newest = MarkFormat.newer(readers.readMarks(path, fileBytes).newest(), mark);
        long size = readers.size(path);
        SealMark seal = null;
        if (newest == null || size != fileBytes) {
            seal = directory.findSeal(fileEpoch);
        } else if (newest.baseOffset() >= 0) {
            seal = directory.readSeal(newest.baseOffset());
        }
        if (seal != null && seal.fileEpoch() == fileEpoch) {
            fileBytes = size;
            newest = seal.mark();
        }
        mark = newest;
    }

    private void lookForFinish() {
        Path log = directory.log(mark.baseOffset());
        if (medium.exists(log)) {
            fileBytes = Math.min(fileBytes, mark.position());
            path = log;
            finished = true;
            readers.closeFile();
        }
    }

    @Override
    public View view() throws IOException {
        View current = readers.current();
        if (current != null) {
            return current;
        }
        requireNotDeleted();
        Path before = path;
        int length = capacity();
        try {
            return readers.map(before, length);
        } catch (IOException e) {
            // The owner, another process, may have cut or renamed the file just now.
            refreshMark();
            if (path.equals(before) && capacity() == length) {
                throw e;
            }
            return readers.map(path, capacity());
        }
    }

    @Override
    public View detachView() {
        if (!finished) {
            return null;
        }
        readers.closeFile();
        return readers.detach();
    }

    @Override
    public int read(int position, byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        requireNotDeleted();
        int wanted = Math.min(length, capacity() - position);
        if (wanted <= 0) {
            return 0;
        }
        try {
            return readers.read(path, position, target, offset, wanted);
        } catch (NoSuchFileException e) {
            refreshMark();
            return readers.read(path, position, target, offset, wanted);
        }
    }

    @Override
    public byte[] readSidecar(Sidecar kind) throws IOException {
        return isSealed() ? directory.readSidecar(mark.baseOffset(), kind) : null;
    }

    @Override
    public void rewriteSidecar(Sidecar kind, byte[] bytes) throws IOException {
        requireWritableTier();
        if (!isSealed()) {
            throw new IllegalStateException(name() + " is not sealed and has no sidecars");
        }
        directory.writeSidecar(mark.baseOffset(), kind, bytes, false);
    }

    @Override
    public void delete() throws IOException {
        requireWritableTier();
        if (deleted) {
            return;
        }
        release();
        if (isSealed()) {
            directory.deleteSealed(path, mark.baseOffset());
        } else {
            medium.delete(directory.sealRoom(fileEpoch));
            medium.delete(path);
            directory.force();
        }
        deleted = true;
        tier.forget(this);
    }

    /** Gives up mapping and file; a view that is pinned is unmapped later. */
    void release() {
        active = null;
        readers.end();
    }

    private ActiveFile writer() {
        ActiveFile writer = active;
        if (writer == null || isSealed()) {
            throw notWritable();
        }
        return writer;
    }

    private IllegalStateException notWritable() {
        return new IllegalStateException(
                name() + " is " + describe() + " and cannot be written; use another segment");
    }

    private String describe() {
        if (deleted) {
            return "deleted";
        }
        if (directory.readOnly()) {
            return "open read-only";
        }
        Mark current = mark;
        return current == null ? "damaged (no mark could be read)" : current.state().toString();
    }

    private void requireWritableTier() {
        if (directory.readOnly()) {
            throw notWritable();
        }
    }

    private void requireNotDeleted() throws IOException {
        if (deleted) {
            throw new NoSuchFileException(name(), null, "the segment was deleted");
        }
    }

    @Override
    public String toString() {
        return name() + " " + mark;
    }
}
