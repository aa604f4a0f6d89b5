package io.firn.bench;

import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.FilterFileMedium.FilterMapping;
import io.firn.medium.FilterFileMedium.FilterMediumFile;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * This machine's file system, throttled to a byte rate to simulate a slower disk. Counts what is
 * written and what is forced through a mapping, including the zeros that reserve space. Reading is
 * not throttled.
 */
final class ThrottledMedium extends FilterFileMedium {
    /** A device always has some I/O in flight; a larger number would let bursts through. */
    private static final long SLACK_NS = 2_000_000;

    private final double nsPerByte;
    private long freeAtNs = System.nanoTime();
    private long bytes;

    ThrottledMedium(double bytesPerSecond) {
        super(FileMedium.real());
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
    protected MediumFile wrap(Path path, MediumFile file) {
        return new ThrottledFile(file);
    }

    private final class ThrottledFile extends FilterMediumFile {
        ThrottledFile(MediumFile file) {
            super(file);
        }

        @Override
        public void write(long position, byte[] source, int offset, int length) throws IOException {
            spend(length);
            super.write(position, source, offset, length);
        }

        @Override
        protected Mapping wrap(Mapping mapping) {
            return new ThrottledMapping(mapping);
        }
    }

    private final class ThrottledMapping extends FilterMapping {
        ThrottledMapping(Mapping mapping) {
            super(mapping);
        }

        @Override
        public void force(int position, int length) throws IOException {
            spend(length);
            super.force(position, length);
        }
    }
}
