package io.firn.medium;

import io.firn.Survives;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.medium.MediumFile.Mapping;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * A medium that passes every call on to another one. A subclass overrides the calls that it
 * observes, delays or lets fail, and {@link #wrap} if it does so for open files as well.
 *
 * @see io.firn.spi.StorageTier
 */
public class FilterFileMedium implements FileMedium {
    /** The medium that does the work. */
    protected final FileMedium in;

    /** Creates a filter in front of a medium. */
    protected FilterFileMedium(FileMedium in) {
        this.in = Objects.requireNonNull(in, "in");
    }

    /** Returns what {@link #create} and {@link #open} return for a file: by default the file. */
    protected MediumFile wrap(Path path, MediumFile file) {
        return file;
    }

    @Override
    public AutoCloseable use() throws IOException {
        return in.use();
    }

    @Override
    public boolean exists(Path path) throws IOException {
        return in.exists(path);
    }

    @Override
    public boolean isLink(Path path) throws IOException {
        return in.isLink(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return in.list(directory);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        in.createDirectories(directory);
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        in.createDirectory(directory);
    }

    @Override
    public String writableByOthers(Path path) {
        return in.writableByOthers(path);
    }

    @Override
    public String foreignOwner(Path path) {
        return in.foreignOwner(path);
    }

    @Override
    public MediumFile create(Path file) throws IOException {
        return wrap(file, in.create(file));
    }

    @Override
    public MediumFile open(Path file, boolean writable) throws IOException {
        return wrap(file, in.open(file, writable));
    }

    @Override
    public boolean canChangeFilesInUse() {
        return in.canChangeFilesInUse();
    }

    @Override
    public boolean hasExactNames() {
        return in.hasExactNames();
    }

    @Override
    public FileChannel openToSend(Path file) throws IOException {
        return in.openToSend(file);
    }

    @Override
    public FileStatus statusOf(Path file) throws IOException {
        return in.statusOf(file);
    }

    @Override
    public Object identityOf(Path file) throws IOException {
        return in.identityOf(file);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        in.rename(from, to);
    }

    @Override
    public void link(Path file, Path second) throws IOException {
        in.link(file, second);
    }

    @Override
    public boolean hasOneName(Path file) throws IOException {
        return in.hasOneName(file);
    }

    @Override
    public void delete(Path path) throws IOException {
        in.delete(path);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        in.forceDirectory(directory);
    }

    @Override
    public Survives survives(Path path) throws IOException {
        return in.survives(path);
    }

    @Override
    public String unknownFileSystem(Path path) throws IOException {
        return in.unknownFileSystem(path);
    }

    @Override
    public long usableBytes(Path path) throws IOException {
        return in.usableBytes(path);
    }

    @Override
    public MediumLock lock(Path file) throws IOException {
        return in.lock(file);
    }

    @Override
    public boolean isUnlocked(Path file) throws IOException {
        return in.isUnlocked(file);
    }

    @Override
    public String holder(Path file) throws IOException {
        return in.holder(file);
    }

    @Override
    public Closeable share(Path file) throws IOException {
        return in.share(file);
    }

    @Override
    public boolean isShared(Path file) throws IOException {
        return in.isShared(file);
    }

    @Override
    public UUID runningSystem() {
        return in.runningSystem();
    }

    @Override
    public String thisProcess() {
        return in.thisProcess();
    }

    @Override
    public Life lifeOf(String process) {
        return in.lifeOf(process);
    }

    /** A mapping that passes every call on to another one; see {@link FilterFileMedium}. */
    public static class FilterMapping implements Mapping {
        /** The mapping that does the work. */
        protected final Mapping in;

        /** Creates a filter in front of a mapping. */
        protected FilterMapping(Mapping in) {
            this.in = Objects.requireNonNull(in, "in");
        }

        @Override
        public ByteBuffer buffer() {
            return in.buffer();
        }

        @Override
        public void force(int position, int length) throws IOException {
            in.force(position, length);
        }

        @Override
        public void prefault(int position, int length) throws IOException {
            in.prefault(position, length);
        }

        @Override
        public void unmap() {
            in.unmap();
        }

        @Override
        public boolean abandon() {
            return in.abandon();
        }
    }

    /**
     * An open file that passes every call on to another one; see {@link FilterFileMedium}. A
     * subclass overrides the calls that it changes, and {@link #wrap} if it changes mappings as
     * well.
     */
    public static class FilterMediumFile implements MediumFile {
        /** The file that does the work. */
        protected final MediumFile in;

        /** Creates a filter in front of a file. */
        protected FilterMediumFile(MediumFile in) {
            this.in = Objects.requireNonNull(in, "in");
        }

        /** Returns what the {@code map} methods return for a mapping: by default the mapping. */
        protected Mapping wrap(Mapping mapping) {
            return mapping;
        }

        @Override
        public long size() throws IOException {
            return in.size();
        }

        @Override
        public long modifiedMs() throws IOException {
            return in.modifiedMs();
        }

        @Override
        public int read(long position, byte[] target, int offset, int length) throws IOException {
            return in.read(position, target, offset, length);
        }

        @Override
        public void write(long position, byte[] source, int offset, int length) throws IOException {
            in.write(position, source, offset, length);
        }

        @Override
        public void write(long position, ByteBuffer source) throws IOException {
            in.write(position, source);
        }

        @Override
        public void setSize(long size) throws IOException {
            in.setSize(size);
        }

        @Override
        public void force() throws IOException {
            in.force();
        }

        @Override
        public Mapping map(int length, boolean writable) throws IOException {
            return wrap(in.map(length, writable));
        }

        @Override
        public Mapping map(MapMode mode, long position, int length) throws IOException {
            return wrap(in.map(mode, position, length));
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
