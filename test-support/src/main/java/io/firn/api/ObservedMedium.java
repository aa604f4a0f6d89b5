package io.firn.api;

import io.firn.DurabilityClass;
import io.firn.medium.FileMedium;
import io.firn.medium.Mapping;
import io.firn.medium.MediumFile;
import io.firn.spi.MarkFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The file system of this machine, watched and disturbed. Forces cost nothing here unless a hook
 * makes them: what a force keeps through a power cut is tested on a simulated medium, and hundreds
 * of them on a shared disk take minutes.
 */
public final class ObservedMedium implements FileMedium {
    private static final Hook NOTHING = file -> {};

    /** A segment's marks lie in its file's last pages. */
    private static final int MARK_BYTES = 2 * MarkFormat.SLOT_SPACING;

    private final FileMedium real = FileMedium.real();
    private final AtomicInteger mappings = new AtomicInteger();
    private final AtomicInteger files = new AtomicInteger();
    private final AtomicLong forces = new AtomicLong();
    private volatile Hook beforeForce = NOTHING;
    private volatile Hook beforeCreate = NOTHING;
    private volatile Hook beforeDelete = NOTHING;
    private volatile Hook beforeRename = NOTHING;
    private volatile Hook beforeList = NOTHING;

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

    /** Mappings that are not unmapped yet. */
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
    public boolean exists(Path path) {
        return real.exists(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        beforeList.run(directory);
        return real.list(directory);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        real.createDirectories(directory);
    }

    @Override
    public MediumFile create(Path file) throws IOException {
        beforeCreate.run(file);
        return new ObservedFile(file, real.create(file));
    }

    @Override
    public MediumFile open(Path file, boolean writable) throws IOException {
        return new ObservedFile(file, real.open(file, writable));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        beforeRename.run(to);
        real.rename(from, to);
    }

    @Override
    public void delete(Path path) throws IOException {
        beforeDelete.run(path);
        real.delete(path);
    }

    @Override
    public void forceDirectory(Path directory) {}

    @Override
    public DurabilityClass durabilityClass(Path path) throws IOException {
        return real.durabilityClass(path);
    }

    @Override
    public long usableBytes(Path path) throws IOException {
        return real.usableBytes(path);
    }

    @Override
    public boolean isUnlocked(Path file) throws IOException {
        return real.isUnlocked(file);
    }

    @Override
    public AutoCloseable lock(Path file) throws IOException {
        return real.lock(file);
    }

    private final class ObservedFile implements MediumFile {
        private final Path path;
        private final MediumFile file;
        private boolean closed;

        ObservedFile(Path path, MediumFile file) {
            this.path = path;
            this.file = file;
            files.incrementAndGet();
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public long modifiedMs() throws IOException {
            return file.modifiedMs();
        }

        @Override
        public int read(long position, byte[] target, int offset, int length) throws IOException {
            return file.read(position, target, offset, length);
        }

        @Override
        public void write(long position, byte[] source, int offset, int length) throws IOException {
            file.write(position, source, offset, length);
        }

        @Override
        public void setSize(long size) throws IOException {
            file.setSize(size);
        }

        @Override
        public void force() {}

        @Override
        public Mapping map(int length, boolean writable) throws IOException {
            return new ObservedMapping(path, file.map(length, writable));
        }

        @Override
        public synchronized void close() throws IOException {
            if (!closed) {
                closed = true;
                files.decrementAndGet();
                file.close();
            }
        }
    }

    private final class ObservedMapping implements Mapping {
        private final Path path;
        private final Mapping mapping;
        private boolean unmapped;

        ObservedMapping(Path path, Mapping mapping) {
            this.path = path;
            this.mapping = mapping;
            mappings.incrementAndGet();
        }

        @Override
        public ByteBuffer buffer() {
            return mapping.buffer();
        }

        @Override
        public void force(int position, int length) throws IOException {
            if (position < mapping.buffer().capacity() - MARK_BYTES) {
                beforeForce.run(path);
                forces.incrementAndGet();
            }
        }

        @Override
        public void prefault() throws IOException {
            mapping.prefault();
        }

        @Override
        public synchronized void unmap() {
            if (!unmapped) {
                unmapped = true;
                mappings.decrementAndGet();
                mapping.unmap();
            }
        }

        @Override
        public synchronized boolean abandon() {
            if (!unmapped) {
                unmapped = true;
                mappings.decrementAndGet();
                return mapping.abandon();
            }
            return false;
        }
    }
}
