package io.firn.bench;

import io.firn.DurabilityClass;
import io.firn.medium.FileMedium;
import io.firn.medium.Mapping;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * This machine's file system, throttled to a byte rate to simulate a slower disk. Counts what is
 * written and what is forced through a mapping, including the zeros that reserve space. Reading is
 * not throttled.
 */
final class ThrottledMedium implements FileMedium {
    /** A device always has some I/O in flight; a larger number would let bursts through. */
    private static final long SLACK_NS = 2_000_000;

    private final FileMedium below = FileMedium.real();
    private final double nsPerByte;
    private long freeAtNs = System.nanoTime();
    private long bytes;

    ThrottledMedium(double bytesPerSecond) {
        nsPerByte = 1e9 / bytesPerSecond;
    }

    /** Returns the number of bytes written so far. */
    synchronized long bytes() {
        return bytes;
    }

    private void spend(long n) {
        long until;
        synchronized (this) {
            long now = System.nanoTime();
            if (freeAtNs - now < -SLACK_NS) {
                freeAtNs = now - SLACK_NS;
            }
            freeAtNs += (long) (n * nsPerByte);
            bytes += n;
            until = freeAtNs;
        }
        boolean interrupted = false;
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            interrupted |= Thread.interrupted(); // an interrupted thread would not park
            LockSupport.parkNanos(left);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean exists(Path path) {
        return below.exists(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return below.list(directory);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        below.createDirectories(directory);
    }

    @Override
    public MediumFile create(Path file) throws IOException {
        return new ThrottledFile(below.create(file));
    }

    @Override
    public MediumFile open(Path file, boolean writable) throws IOException {
        return new ThrottledFile(below.open(file, writable));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        below.rename(from, to);
    }

    @Override
    public void delete(Path path) throws IOException {
        below.delete(path);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        below.forceDirectory(directory);
    }

    @Override
    public DurabilityClass durabilityClass(Path path) throws IOException {
        return below.durabilityClass(path);
    }

    @Override
    public long usableBytes(Path path) throws IOException {
        return below.usableBytes(path);
    }

    @Override
    public boolean isUnlocked(Path file) throws IOException {
        return below.isUnlocked(file);
    }

    @Override
    public AutoCloseable lock(Path file) throws IOException {
        return below.lock(file);
    }

    private final class ThrottledFile implements MediumFile {
        private final MediumFile file;

        ThrottledFile(MediumFile file) {
            this.file = file;
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
            spend(length);
            file.write(position, source, offset, length);
        }

        @Override
        public void setSize(long size) throws IOException {
            file.setSize(size);
        }

        @Override
        public void force() throws IOException {
            file.force();
        }

        @Override
        public Mapping map(int length, boolean writable) throws IOException {
            return new ThrottledMapping(file.map(length, writable));
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    private final class ThrottledMapping implements Mapping {
        private final Mapping mapping;

        ThrottledMapping(Mapping mapping) {
            this.mapping = mapping;
        }

        @Override
        public ByteBuffer buffer() {
            return mapping.buffer();
        }

        @Override
        public void force(int position, int length) throws IOException {
            spend(length);
            mapping.force(position, length);
        }

        @Override
        public void prefault() throws IOException {
            mapping.prefault();
        }

        @Override
        public void unmap() {
            mapping.unmap();
        }

        @Override
        public boolean abandon() {
            return mapping.abandon();
        }
    }
}
