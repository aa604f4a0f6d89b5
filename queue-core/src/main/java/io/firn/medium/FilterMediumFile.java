package io.firn.medium;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.util.Objects;

/**
 * An open file that passes every call on to another one; see {@link FilterFileMedium}. A subclass
 * overrides the calls that it changes, and {@link #wrap} if it changes mappings as well.
 */
public class FilterMediumFile implements MediumFile {
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
