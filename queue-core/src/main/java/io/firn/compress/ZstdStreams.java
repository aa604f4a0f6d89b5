package io.firn.compress;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** In a class of its own, so that the library is needed only when a batch asks for it. */
final class ZstdStreams {
    private ZstdStreams() {}

    static InputStream input(InputStream in) throws IOException {
        return new ZstdInputStreamNoFinalizer(in);
    }

    static OutputStream output(OutputStream out) throws IOException {
        return new ZstdOutputStreamNoFinalizer(out);
    }
}
