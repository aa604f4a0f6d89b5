package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.host.BatchRun;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bytes that are sent from a file of the log. */
class LogFileRegionTest {
    @TempDir Path directory;

    private FileChannel file() throws IOException {
        return FileChannel.open(Files.writeString(directory.resolve("log"), "before, sent, after"));
    }

    private static LogFileRegion region(FileChannel file) {
        return new LogFileRegion(new BatchRun.FileRange(file, 8), 4);
    }

    @Test
    void shouldSendItsBytesOnlyAndLeaveTheFileOpen() throws IOException {
        try (FileChannel file = file()) {
            LogFileRegion region = region(file);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            assertEquals(4, region.transferTo(Channels.newChannel(out), 0));
            assertEquals("sent", out.toString(StandardCharsets.US_ASCII));
            assertTrue(region.release());
            assertTrue(file.isOpen());
        }
    }

    @Test
    void shouldCountAsWhatAClientHasNotReadYet() throws Exception {
        EmbeddedChannel channel = new EmbeddedChannel(false, false);
        channel.config().setMessageSizeEstimator(LogFileRegion.ESTIMATOR);
        channel.register();
        try (FileChannel file = file()) {
            long before = channel.bytesBeforeUnwritable();
            var unused = channel.write(new LogFileRegion(new BatchRun.FileRange(file, 0), 5_000));
            assertTrue(before - channel.bytesBeforeUnwritable() >= 5_000);
        } finally {
            channel.finishAndReleaseAll();
        }
    }
}
