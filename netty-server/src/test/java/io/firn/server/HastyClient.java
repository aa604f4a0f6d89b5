package io.firn.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;

/** A client of TLS 1.3 that ends its handshake and the connection in one packet, as probes do. */
final class HastyClient {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SSLEngine engine;
    private final ByteBuffer in = ByteBuffer.allocate(1 << 16).flip();
    private final ByteBuffer out = ByteBuffer.allocate(1 << 16);
    private final ByteBuffer read = ByteBuffer.allocate(1 << 16);

    private HastyClient(SSLContext context, int port) {
        engine = context.createSSLEngine("127.0.0.1", port);
        engine.setUseClientMode(true);
        engine.setEnabledProtocols(new String[] {"TLSv1.3"});
    }

    static void connectAndClose(int port, SSLContext context) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(30_000);
            new HastyClient(context, port).run(socket);
        }
    }

    /** Closes after the first message of the handshake. */
    static void greetAndClose(int port, SSLContext context) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            HastyClient client = new HastyClient(context, port);
            client.engine.setEnabledProtocols(new String[] {"TLSv1.2"}); // it would be encrypted
            client.engine.beginHandshake();
            client.engine.wrap(NOTHING, client.out);
            client.send(socket);
            socket.getOutputStream().write(new byte[] {21, 3, 3, 0, 2, 1, 0});
            while (socket.getInputStream().read() >= 0) {
                continue; // the server's answer, and the end
            }
        }
    }

    private void run(Socket socket) throws IOException {
        engine.beginHandshake();
        HandshakeStatus next = engine.getHandshakeStatus();
        while (next != HandshakeStatus.NOT_HANDSHAKING && next != HandshakeStatus.FINISHED) {
            switch (next) {
                case NEED_TASK -> engine.getDelegatedTask().run();
                case NEED_WRAP -> next = engine.wrap(NOTHING, out).getHandshakeStatus();
                default -> {
                    send(socket);
                    receive(socket.getInputStream());
                }
            }
            if (next != HandshakeStatus.FINISHED) {
                next = engine.getHandshakeStatus();
            }
        }
        engine.closeOutbound();
        while (!engine.isOutboundDone()) {
            engine.wrap(NOTHING, out);
        }
        send(socket);
    }

    private void send(Socket socket) throws IOException {
        socket.getOutputStream().write(out.array(), 0, out.position());
        out.clear();
    }

    private void receive(InputStream from) throws IOException {
        while (engine.unwrap(in, read).getStatus() == Status.BUFFER_UNDERFLOW) {
            in.compact();
            int count = from.read(in.array(), in.position(), in.remaining());
            if (count < 0) {
                throw new IOException("the server has closed the connection");
            }
            in.position(in.position() + count).flip();
        }
    }
}
