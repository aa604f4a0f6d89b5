package io.firn.server.wire;

import io.firn.host.BatchRun;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.DefaultMessageSizeEstimator;
import io.netty.channel.FileRegion;
import io.netty.channel.MessageSizeEstimator;

/** Bytes of the log that the system sends from their file. The file stays open: it is the log's. */
final class LogFileRegion extends DefaultFileRegion {
    /**
     * Counts what is sent from files as well, unlike Netty's own: otherwise a client that reads
     * nothing would always be given more, and each response keeps a segment pinned.
     */
    static final MessageSizeEstimator ESTIMATOR =
            () -> {
                MessageSizeEstimator.Handle usual = DefaultMessageSizeEstimator.DEFAULT.newHandle();
                return message ->
                        message instanceof FileRegion region
                                ? (int) region.count()
                                : usual.size(message);
            };

    LogFileRegion(BatchRun.FileRange range, int length) {
        super(range.file(), range.position(), length);
    }

    @Override
    protected void deallocate() {}
}
