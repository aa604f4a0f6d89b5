package io.firn.format;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Zstandard streams; a class of its own, so that the library is loaded only when it is needed. */
final class ZstdStreams {
    /** Of the largest window that {@link #smallInput} allocates. */
    static final int WINDOW_LOG = 23;

    /** ZSTD_error_frameParameter_windowTooLarge. */
    private static final long WINDOW_TOO_LARGE = 16;

    private ZstdStreams() {}

    static InputStream input(InputStream in) throws IOException {
        return new ZstdInputStreamNoFinalizer(in);
    }

    /** As {@link #input}, but refuses larger windows; by default up to 128 MiB are allocated. */
    static InputStream smallInput(InputStream in) throws IOException {
        return new ZstdInputStreamNoFinalizer(in).setLongMax(WINDOW_LOG);
    }

    static boolean isWindowTooLarge(IOException e) {
        return e instanceof ZstdIOException zstd && zstd.getErrorCode() == WINDOW_TOO_LARGE;
    }

    static OutputStream output(OutputStream out) throws IOException {
        return new ZstdOutputStreamNoFinalizer(out);
    }
}
