package io.firn.format;

import java.io.InputStream;
import java.nio.ByteBuffer;

/** Reads a part of a buffer, whose position it leaves alone. Not thread-safe. */
final class BatchInput extends InputStream {
    private final ByteBuffer source;
    private final int end;
    private int at;

    BatchInput(ByteBuffer source, int from, int length) {
        this.source = source;
        this.at = from;
        this.end = from + length;
    }

    @Override
    public int read() {
        return at < end ? source.get(at++) & 0xFF : -1;
    }

    @Override
    public int read(byte[] target, int from, int length) {
        if (length == 0) {
            return 0;
        }
        int n = Math.min(length, end - at);
        if (n <= 0) {
            return -1;
        }
        source.get(at, target, from, n);
        at += n;
        return n;
    }

    @Override
    public long skip(long n) {
        int skipped = (int) Math.max(0, Math.min(n, end - at));
        at += skipped;
        return skipped;
    }

    @Override
    public int available() {
        return end - at;
    }
}
