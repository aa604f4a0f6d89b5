package io.firn.shadow;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Between a shadow and its source: counts fetches, and holds up the answers to them. */
final class FetchProxy implements AutoCloseable {
    private static final short FETCH = 1;

    private final ServerSocket server;
    private final int port;
    private final long delayMs;
    private int connections;
    private int unanswered;
    private int mostUnanswered;
    private int answered;

    FetchProxy(long delayMs) throws IOException {
        this.delayMs = delayMs;
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        inBackground(this::accept);
    }

    /** Returns the port that the source is to listen to. */
    int sourcePort() {
        return port;
    }

    String address() {
        return "127.0.0.1:" + server.getLocalPort();
    }

    /** Returns the largest number of fetches at a time that were not answered, and forgets it. */
    synchronized int takeMostUnanswered() {
        int result = mostUnanswered;
        mostUnanswered = unanswered;
        answered = 0;
        return result;
    }

    /** Returns how many fetches were answered since {@link #takeMostUnanswered}. */
    synchronized int answered() {
        return answered;
    }

    private synchronized void connected() {
        connections++;
    }

    /** Returns how many connections there were. */
    synchronized int connections() {
        return connections;
    }

    private synchronized void count(int change) {
        unanswered += change;
        mostUnanswered = Math.max(mostUnanswered, unanswered);
        answered += change < 0 ? 1 : 0;
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private static void inBackground(Work work) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                work.run();
                            } catch (IOException | InterruptedException e) {
                                // a connection ended, or the proxy was closed
                            }
                        });
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (!server.isClosed()) {
            Socket client = server.accept();
            connected();
            Socket source = new Socket(InetAddress.getLoopbackAddress(), port);
            BlockingQueue<Short> asked = new LinkedBlockingQueue<>();
            inBackground(() -> pass(client, source, request -> asked(asked, request)));
            inBackground(() -> pass(source, client, answer -> answered(asked)));
        }
    }

    private void asked(BlockingQueue<Short> asked, byte[] request) {
        short key = ByteBuffer.wrap(request).getShort();
        asked.add(key);
        if (key == FETCH) {
            count(1);
        }
    }

    private void answered(BlockingQueue<Short> asked) throws InterruptedException {
        if (asked.take() == FETCH) {
            Thread.sleep(delayMs);
            count(-1);
        }
    }

    private interface Watch {
        void see(byte[] frame) throws InterruptedException;
    }

    private static void pass(Socket from, Socket to, Watch watch)
            throws IOException, InterruptedException {
        try (from;
                to) {
            DataInputStream in = new DataInputStream(from.getInputStream());
            DataOutputStream out = new DataOutputStream(to.getOutputStream());
            while (true) {
                byte[] frame = new byte[in.readInt()];
                in.readFully(frame);
                watch.see(frame);
                out.writeInt(frame.length);
                out.write(frame);
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
