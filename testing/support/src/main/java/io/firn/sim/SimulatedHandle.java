package io.firn.sim;

import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Objects;
import jdk.nio.mapmode.ExtendedMapMode;

/** An open file of a simulated medium. */
final class SimulatedHandle implements MediumFile {
    private final SimulatedFileMedium medium;
    private final Path path;
    private final SimulatedBytes file;
    private final boolean writable;
    private boolean closed;

    SimulatedHandle(SimulatedFileMedium medium, Path path, SimulatedBytes file, boolean writable) {
        this.medium = medium;
        this.path = path;
        this.file = file;
        this.writable = writable;
        medium.use(this);
    }

    Path path() {
        return path;
    }

    SimulatedBytes file() {
        return file;
    }

    @Override
    public long size() throws IOException {
        synchronized (medium) {
            checkOpen();
            medium.look(path);
            return file.size();
        }
    }

    @Override
    public long modifiedMs() throws IOException {
        synchronized (medium) {
            checkOpen();
            medium.look(path);
            return file.modifiedMs();
        }
    }

    @Override
    public int read(long position, byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        synchronized (medium) {
            checkOpen();
            medium.look(path);
            medium.faults().checkRead(path);
            return file.read(position, target, offset, length);
        }
    }

    @Override
    public void write(long position, byte[] source, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, source.length);
        synchronized (medium) {
            checkWritable();
            medium.write(this, position, source, offset, length);
        }
    }

    @Override
    public void write(long position, ByteBuffer source) throws IOException {
        byte[] bytes = new byte[source.remaining()];
        source.get(bytes);
        write(position, bytes, 0, bytes.length);
    }

    @Override
    public void setSize(long size) throws IOException {
        synchronized (medium) {
            checkWritable();
            medium.begin("set size " + size + " of", path);
            file.setSize(Math.toIntExact(size), medium.nowMs());
        }
    }

    @Override
    public void force() throws IOException {
        synchronized (medium) {
            checkOpen();
            if (force("force", 0, file.size())) {
                file.forceSize();
            }
        }
    }

    /** Returns whether it was done. */
    boolean force(String what, int from, int to) throws IOException {
        try {
            medium.begin(what, path);
            medium.takeSpace(this);
        } catch (IOException | VirtualMachineError e) {
            file.failForce(from, to);
            throw e;
        }
        if (medium.faults().ignores(what + " " + path)) {
            return false;
        }
        file.force(from, to);
        return true;
    }

    @Override
    public Mapping map(int length, boolean writable) throws IOException {
        synchronized (medium) {
            checkOpen();
            medium.look(path);
            if (writable) {
                checkWritable();
            }
            if (length > file.size()) {
                throw new IOException(
                        path + " has " + file.size() + " bytes, " + length + " were to be mapped");
            }
            if (writable && !(file instanceof SimulatedFile) && file.firstHole() >= 0) {
                throw new AssertionError(
                        path
                                + " is mapped for writing with a hole at page "
                                + file.firstHole()
                                + ": stores into it may be lost when the medium is full");
            }
            SimulatedMapping mapping =
                    new SimulatedMapping(medium, this, file.map(0, length, writable));
            if (writable && file instanceof SimulatedFile pages) {
                medium.watch(pages);
            }
            return mapping;
        }
    }

    /** A synchronous mapping is for persistent memory only, in pieces. */
    @Override
    public Mapping map(FileChannel.MapMode mode, long position, int length) throws IOException {
        boolean synchronous =
                mode == ExtendedMapMode.READ_WRITE_SYNC || mode == ExtendedMapMode.READ_ONLY_SYNC;
        if (!synchronous || !(file instanceof SimulatedMemory)) {
            return MediumFile.super.map(mode, position, length);
        }
        synchronized (medium) {
            checkOpen();
            medium.look(path);
            boolean writing = mode == ExtendedMapMode.READ_WRITE_SYNC;
            return new SimulatedMapping(medium, this, file.map(position, length, writing));
        }
    }

    @Override
    public void close() {
        synchronized (medium) {
            closed = true;
            medium.release(this);
        }
    }

    private void checkOpen() throws IOException {
        if (closed) {
            throw new IOException(path + ": Stream Closed (simulated)");
        }
    }

    private void checkWritable() throws IOException {
        checkOpen();
        if (!writable) {
            throw new IOException(path + ": Bad file descriptor, open for reading (simulated)");
        }
    }
}
