package io.firn.api;

import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.FilterFileMedium.FilterMapping;
import io.firn.medium.FilterFileMedium.FilterMediumFile;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import io.firn.spi.MarkFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The file system of this machine, watched and disturbed. Forces cost nothing here unless a hook
 * makes them: what a force keeps through a power cut is tested on a simulated medium, and hundreds
 * of them on a shared disk take minutes.
 */
public final class ObservedMedium extends FilterFileMedium {
    private static final Hook NOTHING = file -> {};

    /** A segment's marks lie in its file's last pages. */
    private static final int MARK_BYTES = 2 * MarkFormat.SLOT_SPACING;

    /** Mapped as long as a store is open, and no segment. */
    private static final String ENDS = "ends";

    private final AtomicInteger mappings = new AtomicInteger();
    private final AtomicInteger files = new AtomicInteger();
    private final AtomicLong forces = new AtomicLong();
    private volatile Hook beforeForce = NOTHING;
    private volatile Hook beforeCreate = NOTHING;
    private volatile Hook beforeDelete = NOTHING;
    private volatile Hook beforeRename = NOTHING;
    private volatile Hook beforeList = NOTHING;
    private volatile Hook beforeOpen = NOTHING;
    private volatile Hook afterRename = NOTHING;

    /** Observes the file system of this machine. */
    public ObservedMedium() {
        super(FileMedium.real());
    }

    /** Runs before the operation, on the thread that asked for it. */
    @FunctionalInterface
    public interface Hook {
        void run(Path file) throws IOException;
    }

    /** Before records in a mapped file are forced; marks are not held, whenever they are due. */
    public void beforeForce(Hook hook) {
        beforeForce = hook == null ? NOTHING : hook;
    }

    /** Before a file is created. */
    public void beforeCreate(Hook hook) {
        beforeCreate = hook == null ? NOTHING : hook;
    }

    /** Before a file is deleted. */
    public void beforeDelete(Hook hook) {
        beforeDelete = hook == null ? NOTHING : hook;
    }

    /** Before a file gets another name; the hook is given that one. */
    public void beforeRename(Hook hook) {
        beforeRename = hook == null ? NOTHING : hook;
    }

    /** Before a directory is listed. */
    public void beforeList(Hook hook) {
        beforeList = hook == null ? NOTHING : hook;
    }

    /** Before a file is opened that exists. */
    public void beforeOpen(Hook hook) {
        beforeOpen = hook == null ? NOTHING : hook;
    }

    /** After a file got another name; the hook is given that one. */
    public void afterRename(Hook hook) {
        afterRename = hook == null ? NOTHING : hook;
    }

    /** Mappings of segments that are not unmapped yet. */
    public int mappings() {
        return mappings.get();
    }

    /** Files that are open. */
    public int files() {
        return files.get();
    }

    /** Forces of records in mapped files so far. */
    public long forces() {
        return forces.get();
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        beforeList.run(directory);
        return super.list(directory);
    }

    @Override
    public MediumFile create(Path file) throws IOException {
        beforeCreate.run(file);
        return super.create(file);
    }

    @Override
    public MediumFile open(Path file, boolean writable) throws IOException {
        beforeOpen.run(file);
        return super.open(file, writable);
    }

    @Override
    protected MediumFile wrap(Path path, MediumFile file) {
        return new ObservedFile(path, file);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        beforeRename.run(to);
        super.rename(from, to);
        afterRename.run(to);
    }

    @Override
    public void delete(Path path) throws IOException {
        beforeDelete.run(path);
        super.delete(path);
    }

    @Override
    public void forceDirectory(Path directory) {}

    private final class ObservedFile extends FilterMediumFile {
        private final Path path;
        private boolean closed;

        ObservedFile(Path path, MediumFile file) {
            super(file);
            this.path = path;
            files.incrementAndGet();
        }

        @Override
        public void force() {}

        @Override
        protected Mapping wrap(Mapping mapping) {
            return path.endsWith(ENDS) ? mapping : new ObservedMapping(path, mapping);
        }

        @Override
        public synchronized void close() throws IOException {
            if (!closed) {
                closed = true;
                files.decrementAndGet();
                super.close();
            }
        }
    }

    private final class ObservedMapping extends FilterMapping {
        private final Path path;
        private boolean unmapped;

        ObservedMapping(Path path, Mapping mapping) {
            super(mapping);
            this.path = path;
            mappings.incrementAndGet();
        }

        @Override
        public void force(int position, int length) throws IOException {
            if (position < buffer().capacity() - MARK_BYTES) {
                beforeForce.run(path);
                forces.incrementAndGet();
            }
        }

        @Override
        public synchronized void unmap() {
            if (!unmapped) {
                unmapped = true;
                mappings.decrementAndGet();
                super.unmap();
            }
        }

        @Override
        public synchronized boolean abandon() {
            if (!unmapped) {
                unmapped = true;
                mappings.decrementAndGet();
                return super.abandon();
            }
            return false;
        }
    }
}
