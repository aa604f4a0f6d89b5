package io.firn.compress;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.xerial.snappy.SnappyInputStream;
import org.xerial.snappy.SnappyOutputStream;

/** In a class of its own, so that the library is needed only when a batch asks for it. */
final class SnappyStreams {
    private SnappyStreams() {}

    static InputStream input(InputStream in) throws IOException {
        return new SnappyInputStream(in);
    }

    static OutputStream output(OutputStream out) throws IOException {
        return new SnappyOutputStream(out);
    }
}
