package io.firn.shadow;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.file.FileTier;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A source that is not what it should be. */
class HostileSourceTest {
    @TempDir Path directory;

    /** Answers each connection's first request with a length and nothing else. */
    private static void answer(ServerSocket server, int length, AtomicInteger answered) {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                DataInputStream in = new DataInputStream(socket.getInputStream());
                in.readFully(new byte[in.readInt()]);
                socket.getOutputStream().write(ByteBuffer.allocate(4).putInt(length).array());
                answered.incrementAndGet();
            } catch (IOException e) {
                continue;
            }
        }
    }

    @Test
    void shouldGoOnAfterAnAnswerThatIsTooLargeForTheHeap() throws Exception {
        AtomicInteger answered = new AtomicInteger();
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                LogStore store =
                        LogStore.at(directory.resolve("store"))
                                .tier(FileTier.at(directory.resolve("segments")))
                                .open()) {
            Thread thread = new Thread(() -> answer(server, Integer.MAX_VALUE, answered));
            thread.setDaemon(true);
            thread.start();
            Properties source = new Properties();
            source.put("bootstrap.servers", "localhost:" + server.getLocalPort());
            source.put("request.timeout.ms", "300");
            try (Shadow shadow = Shadow.of(store, source).topics("orders").start()) {
                while (answered.get() < 2 && shadow.snapshot().isRunning()) {
                    Thread.sleep(10);
                }
                assertTrue(shadow.snapshot().isRunning());
            }
        }
    }
}
