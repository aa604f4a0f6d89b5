package io.firn.format;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import net.jpountz.lz4.LZ4FrameInputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream.BLOCKSIZE;
import net.jpountz.lz4.LZ4FrameOutputStream.FLG;

/** LZ4 streams; a class of its own, so that the library is loaded only when it is needed. */
final class Lz4Streams {
    private Lz4Streams() {}

    static InputStream input(InputStream in) throws IOException {
        return new LZ4FrameInputStream(in, true);
    }

    static OutputStream output(OutputStream out) throws IOException {
        return new LZ4FrameOutputStream(out, BLOCKSIZE.SIZE_64KB, FLG.Bits.BLOCK_INDEPENDENCE);
    }
}
