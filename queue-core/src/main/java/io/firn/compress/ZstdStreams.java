package io.firn.compress;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Zstandard streams; a class of its own, so that the library is loaded only when it is needed. */
final class ZstdStreams {
    private ZstdStreams() {}

    static InputStream input(InputStream in) throws IOException {
        return new ZstdInputStreamNoFinalizer(in);
    }

    static OutputStream output(OutputStream out) throws IOException {
        return new ZstdOutputStreamNoFinalizer(out);
    }
}
