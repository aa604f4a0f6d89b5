package io.firn.file;

import io.firn.StoreFullException;
import io.firn.file.SealMark.SidecarSums;
import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.medium.FileErrors.UnexpectedFileException;
import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.SendableFile;
import io.firn.spi.Block;
import io.firn.spi.Block.Sidecar;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import io.firn.spi.StorageTier;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * A segment in a file. {@link FileState} lists the stages of its file. The steps of sealing are in
 * an order in which a crash between any two leaves a segment that is either not sealed or can be
 * finished again; {@link PartitionScan} distinguishes the two:
 *
 * <ol>
 *   <li>the seal is stored in a mark page and forced: now the segment is sealed,
 *   <li>{@code BASE.mark} is written and forced, the sidecars are written,
 *   <li>the file gets its final name, and the directory is forced,
 *   <li>the file is cut, and so loses its mark pages.
 * </ol>
 *
 * <p>As long as the seal is in the pages, nothing of the other steps needs to be there. The cut is
 * not forced: a file that is longer than its mark says has the pages, and is finished again. On a
 * full disk there may be no {@code BASE.mark}; the file is not cut then.
 */
final class FileBlock implements Block {
    private final BlockOwner owner;
    private final PartitionDirectory directory;
    private final FileMedium medium;
    private final long fileEpoch;
    private final int room;
    private final FileUses uses = new FileUses();
    private final ReadSide readers;

    /** Whether this process has made the file, so that no other one can have sent it. */
    private final boolean isNew;

    private final boolean isRecycled;

    /** Where its files lie; null until it is sealed, and then in the partition's directory. */
    private final SegmentFiles madeIn;

    /** The writer's mapping; null when the segment is finished, damaged, or open read-only. */
    private volatile ActiveFile active;

    /** Held while pages are prepared: the file is not cut meanwhile. */
    private final Object preparing = new Object();

    private volatile FileState state;
    private volatile boolean deleted;

    /**
     * Creates the block of a segment that is not sealed.
     *
     * @param file open, writable unless the tier is read-only; owned by the block from now on
     * @param found what its mark pages contain
     * @param room the space for batches in bytes
     * @param isNew whether the file was reserved just now
     */
    FileBlock(
            BlockOwner owner,
            PartitionDirectory directory,
            long epoch,
            MediumFile file,
            MarkPages.Found found,
            int room,
            boolean isNew)
            throws IOException {
        this.owner = owner;
        this.directory = directory;
        this.medium = directory.medium();
        this.fileEpoch = epoch;
        this.room = room;
        this.madeIn = null;
        this.isNew = isNew;
        this.isRecycled = found.isRecycled();
        Path path = directory.active(epoch);
        this.state =
                FileState.unfinished(
                        FileState.Stage.UNSEALED, path, found.fileBytes(), found.newest());
        View view = null;
        if (found.newest() != null && !directory.readOnly()) {
            // No other file ever gets the name that it has now. Before the file is mapped: who
            // fails here leaves no mapping.
            SendableFile toSend =
                    new SendableFile(
                            medium, owner.filesToSend(), medium.identityOf(path), this::names);
            ActiveFile writer = new ActiveFile(owner, directory, epoch, file, room, found.slot());
            uses.mapped();
            // Made at once, because releasing the view is what unmaps the writer's mapping.
            view =
                    new View(
                            writer.memory().asReadOnlyBuffer(),
                            handedOut -> {
                                toSend.close();
                                uses.released(writer.release(owner.uncollected(), handedOut));
                            },
                            () -> uses.sentFrom(toSend.channel()));
            active = writer;
        }
        Object identity = directory.readOnly() ? medium.identityOf(path) : null;
        this.readers = new ReadSide(medium, owner, uses);
        readers.takeOver(file, identity, view);
    }

    /**
     * Creates the block of a segment that is sealed.
     *
     * @param fileEpoch the epoch in the name that its file has or had while it was hidden; −1 when
     *     it is not known
     */
    FileBlock(
            BlockOwner owner,
            PartitionDirectory directory,
            SegmentFiles files,
            long fileEpoch,
            FileState state) {
        this.owner = owner;
        this.directory = directory;
        this.medium = directory.medium();
        this.fileEpoch = fileEpoch;
        this.room = 0;
        this.state = state;
        this.madeIn = files;
        this.isNew = false;
        this.isRecycled = false;
        this.readers = new ReadSide(medium, owner, uses);
    }

    private SegmentFiles files() {
        return madeIn == null ? directory.plain(state.mark().baseOffset()) : madeIn;
    }

    @Override
    public StorageTier tier() {
        return owner.tier();
    }

    @Override
    public String name() {
        return path().toString();
    }

    /** Returns what identifies the segment while the tier is open, whatever its file's name is. */
    Path key() {
        return fileEpoch < 0 ? files().log() : directory.active(fileEpoch);
    }

    /** Returns whether it is a segment of the partition. */
    boolean isIn(PartitionDirectory other) {
        return directory.path().equals(other.path());
    }

    Path path() {
        return state.path();
    }

    /** Returns the names that its file may have: it is renamed before the state says so. */
    private List<Path> names() {
        FileState now = state;
        boolean mayBeRenamed = now.isSealed() && !now.isFinished();
        Path last = mayBeRenamed ? files().log() : now.path();
        return last.equals(now.path()) ? List.of(last) : List.of(now.path(), last);
    }

    @Override
    public long usedBytes() {
        return deleted ? 0 : state.fileBytes();
    }

    @Override
    public int capacity() {
        return capacity(state);
    }

    private int capacity(FileState in) {
        return in.isSealed() ? in.sealedBytes() : room;
    }

    @Override
    public Mark mark() {
        return state.mark();
    }

    @Override
    public ByteBuffer memory() {
        return writer().memory();
    }

    @Override
    public boolean isWrittenByCalls() {
        return true;
    }

    @Override
    public void write(int position, ByteBuffer source) throws IOException {
        writer().write(position, source);
    }

    @Override
    public void prepare(int from, int to, boolean durably) throws IOException {
        synchronized (preparing) {
            writer().prepare(from, to, durably);
        }
    }

    @Override
    public boolean mayHoldStaleBytes() {
        return isRecycled;
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
            // A sealed segment was forced before, and its file may be cut while its size is
            // checked.
            if (!state.isSealed()) {
                throw e;
            }
        }
        if (!state.isSealed()) {
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
        FileState current = state;
        if ((next.state() == SegmentState.SEALED) != current.isSealed()) {
            throw new IllegalArgumentException(
                    name() + " is " + describe() + " and cannot be marked " + next.state());
        }
        if (current.isSealed()) {
            rewriteSeal(next);
            return;
        }
        if (both) {
            writer().rewriteMark(next);
        } else {
            writer().writeMark(next);
        }
        state = current.marked(next);
    }

    /** A reader that has rebuilt a sidecar may do so at the same time. */
    private synchronized void rewriteSeal(Mark next) throws IOException {
        files().rewriteSeal(new SealMark(next, fileEpoch, state.sidecars()));
        state = state.marked(next);
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
        owner.spareDescriptors().lendTo(() -> writeSeal(sealed));
    }

    private void writeSeal(Mark sealed) throws IOException {
        directory.plain(sealed.baseOffset()).requireFree(fileEpoch);
        writer().writeMark(sealed);
        state = state.sealed(sealed);
    }

    @Override
    public void finishSeal(byte[] index, byte[] timeIndex) throws IOException {
        requireWritableTier();
        if (state.isFinished()) {
            return;
        }
        if (!state.isSealed()) {
            throw new IllegalStateException(name() + " is not sealed yet");
        }
        synchronized (preparing) { // or pages are touched that are being cut off
            active = null;
        }
        readers.closeFile(); // first: there may be no other descriptor for what follows
        changeUnused(
                () -> {
                    if (medium.canChangeFilesInUse()) {
                        finish(index, timeIndex);
                    } else {
                        readers.whileUnmapped(() -> finish(index, timeIndex));
                    }
                });
        readers.closeFile(); // somebody may have read meanwhile
    }

    /** Does what a file that is in use may not allow, and fails then, to be tried again. */
    private void changeUnused(SpareDescriptors.Work work) throws IOException {
        try {
            owner.spareDescriptors().lendTo(work);
        } catch (IOException e) {
            if (!medium.canChangeFilesInUse()) {
                owner.uncollected().collect(1); // a user may have had buffers of it
            }
            throw e;
        }
    }

    private void finish(byte[] index, byte[] timeIndex) throws IOException {
        Path hidden = path();
        FilesInPartition files = directory.plain(mark().baseOffset());
        Path log = files.log();
        if (!hidden.equals(log)) {
            files.requireFree(fileEpoch);
        }
        SidecarSums sums = SidecarSums.of(index, timeIndex);
        boolean isMarked = files.writeFirstSeal(new SealMark(mark(), fileEpoch, sums));
        files.writeSidecar(Sidecar.INDEX, index);
        files.writeSidecar(Sidecar.TIMEINDEX, timeIndex);
        if (!hidden.equals(log)) {
            // A reader in another process finds everything beside the final name.
            medium.rename(hidden, log);
            state = state.renamed(log);
        }
        directory.force();
        if (isMarked) { // and both are durable: now the mark pages are not needed any more
            state = state.resized(directory.cut(log, mark().position()));
        }
        state = state.withSidecars(sums).finished();
    }

    @Override
    public void dropTail() throws IOException {
        int end = mark().position();
        if (!deleted && state.isFinished() && state.fileBytes() > end) {
            state = state.resized(directory.cut(path(), end));
        }
    }

    @Override
    public boolean isFinished() {
        return state.isFinished();
    }

    @Override
    public synchronized Mark refreshMark() throws IOException {
        FileState before = state;
        if (directory.readOnly() && !before.isFinished()) {
            state = new FileFollower(directory, fileEpoch, readers).refresh(before);
            if (state.isFinished()) {
                readers.closeFile();
            }
        }
        return mark();
    }

    @Override
    public synchronized Mark rereadMark() throws IOException {
        refreshMark();
        if (directory.readOnly() && state.isSealed()) {
            SealMark seal = files().readSeal();
            if (seal != null && seal.fileEpoch() == fileEpoch) {
                state = state.marked(seal.mark());
            }
        }
        return mark();
    }

    @Override
    public View view() throws IOException {
        View current = readers.current();
        if (current != null) {
            return current;
        }
        requireNotDeleted();
        FileState before = state;
        try {
            return readers.map(before.path(), capacity(before), this::names);
        } catch (IOException e) {
            // The owner, another process, may have cut or renamed the file just now.
            refreshMark();
            FileState after = state;
            if (after.path().equals(before.path()) && capacity(after) == capacity(before)) {
                throw e;
            }
            return readers.map(after.path(), capacity(after), this::names);
        }
    }

    @Override
    public boolean renewView(int position, int length) throws IOException {
        boolean isWriters = !directory.readOnly() && !state.isFinished(); // it is what was stored
        int end = (int) Math.min(capacity(), (long) position + length);
        return !isWriters && !deleted && readers.renew(path(), position, end);
    }

    @Override
    public View detachView() {
        if (!state.isFinished()) {
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
            return readers.read(path(), position, target, offset, wanted);
        } catch (NoSuchFileException e) {
            refreshMark();
            return readers.read(path(), position, target, offset, wanted);
        }
    }

    @Override
    public boolean linkTo(Path second) throws IOException {
        if (!state.isFinished() || state.fileBytes() > mark().position()) {
            return false;
        }
        try {
            readers.link(path(), second);
            return true;
        } catch (FileAlreadyExistsException | NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            return false; // on another file system, or the file has a second name already
        }
    }

    @Override
    public byte[] readSidecar(Sidecar kind) throws IOException {
        FileState now = state;
        if (!now.isFinished()) {
            return null; // it may be half written
        }
        try {
            byte[] bytes = files().readSidecar(kind, capacity());
            SidecarSums sums = now.sidecars();
            return bytes == null || sums == null || sums.match(kind, bytes) ? bytes : null;
        } catch (DamagedFileException | UnexpectedFileException e) {
            owner.foundDamage(e.getMessage());
            return null;
        }
    }

    @Override
    public void rewriteSidecar(Sidecar kind, byte[] bytes) throws IOException {
        requireWritableTier();
        if (!state.isSealed()) {
            throw new IllegalStateException(name() + " is not sealed and has no sidecars");
        }
        files().rewriteSidecar(kind, bytes);
        noteSidecar(kind, bytes);
    }

    /** Without space for it the index is made again at the next open. */
    private synchronized void noteSidecar(Sidecar kind, byte[] bytes) throws IOException {
        SidecarSums sums = state.sidecars();
        if (sums == null || sums.match(kind, bytes)) {
            return;
        }
        try {
            files().rewriteSeal(new SealMark(mark(), fileEpoch, sums.with(kind, bytes)));
            state = state.withSidecars(sums.with(kind, bytes));
        } catch (StoreFullException e) {
            return; // as it was
        }
    }

    @Override
    public void delete() throws IOException {
        delete(this::deleteFiles);
    }

    @Override
    public void recycle() throws IOException {
        delete(this::recycleFiles);
    }

    private void delete(SpareDescriptors.Work work) throws IOException {
        requireWritableTier();
        if (deleted) {
            return;
        }
        release();
        changeUnused(work);
        deleted = true;
        owner.forget(this);
    }

    /** After {@link #release}: only a view that is pinned, or left to the collector, is mapped. */
    private void recycleFiles() throws IOException {
        FileState last = state;
        if (isNew && last.isFinished() && uses.areOver() && medium.canChangeFilesInUse()) {
            FilesInPartition files = directory.plain(last.mark().baseOffset());
            files.recycle(last.path(), last.fileBytes(), fileEpoch, owner.spareFiles());
        } else {
            deleteFiles();
        }
    }

    private void deleteFiles() throws IOException {
        if (state.isSealed()) {
            files().delete(path());
        } else {
            medium.delete(path());
            directory.force();
        }
    }

    /** Closes the file and unmaps it; a view that is pinned is unmapped when it is unpinned. */
    void release() {
        active = null;
        readers.end();
    }

    private ActiveFile writer() {
        ActiveFile writer = active;
        if (writer == null || state.isSealed()) {
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
        Mark current = mark();
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
        return name() + " " + mark();
    }
}
