package io.firn.medium;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;

/** A mapping that passes every call on to another one; see {@link FilterFileMedium}. */
public class FilterMapping implements Mapping {
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
