package io.firn.bench.kafka;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;

/**
 * A connection of a load, plain or over TLS. What it costs the load to encrypt is not measured. For
 * one thread.
 */
final class LoadChannel implements AutoCloseable {
    private static final int OUT_BYTES = 256 << 10;

    private final SocketChannel channel;
    private final SSLEngine engine;
    private final ByteBuffer encryptedIn;
    private final ByteBuffer encryptedOut;
    private final ByteBuffer plainIn;

    /**
     * Connects to where a broker accepts loads; with TLS until the handshake is over.
     *
     * @param tls null for a plain connection
     * @param receiveBytes what is asked for as the socket's receive buffer; 0 lets the system
     *     choose
     */
    LoadChannel(InetSocketAddress server, SSLContext tls, int receiveBytes) throws IOException {
        channel = SocketChannel.open();
        if (receiveBytes > 0) {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, receiveBytes);
        }
        channel.connect(server);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        if (tls == null) {
            engine = null;
            encryptedIn = null;
            encryptedOut = null;
            plainIn = null;
            return;
        }
        engine = tls.createSSLEngine("127.0.0.1", server.getPort());
        engine.setUseClientMode(true);
        engine.setEnabledProtocols(new String[] {LoadTls.PROTOCOL});
        engine.setEnabledCipherSuites(new String[] {LoadTls.SUITE});
        encryptedIn = ByteBuffer.allocateDirect(OUT_BYTES).flip();
        encryptedOut = ByteBuffer.allocateDirect(OUT_BYTES).flip();
        plainIn = ByteBuffer.allocateDirect(OUT_BYTES).flip();
        engine.beginHandshake();
        shakeHands();
    }

    SocketChannel channel() {
        return channel;
    }

    private void shakeHands() throws IOException {
        ByteBuffer[] nothing = {ByteBuffer.allocate(0)};
        while (true) {
            HandshakeStatus status = engine.getHandshakeStatus();
            if (status == HandshakeStatus.NEED_TASK) {
                engine.getDelegatedTask().run();
            } else if (status == HandshakeStatus.NEED_WRAP) {
                write(nothing, 0, 1);
            } else if (status == HandshakeStatus.NEED_UNWRAP) {
                unwrap();
            } else {
                return;
            }
        }
    }

    /** Sends as much as the socket takes; {@link #isBlocked} says whether more has to be sent. */
    void write(ByteBuffer[] out, int from, int count) throws IOException {
        if (engine == null) {
            channel.write(out, from, count);
            return;
        }
        boolean more = true;
        while (more) {
            channel.write(encryptedOut);
            encryptedOut.compact();
            // An engine that has nothing to send is not asked for an empty record.
            while (hasRemaining(out, from, count)
                    || engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
                SSLEngineResult result = engine.wrap(out, from, count, encryptedOut);
                if (result.getStatus() != SSLEngineResult.Status.OK) {
                    break; // the buffer is full
                }
            }
            encryptedOut.flip();
            int before = encryptedOut.remaining();
            channel.write(encryptedOut);
            more = hasRemaining(out, from, count) && encryptedOut.remaining() < before;
        }
    }

    private static boolean hasRemaining(ByteBuffer[] out, int from, int count) {
        return out[from + count - 1].hasRemaining(); // they are sent in order
    }

    /** Returns whether the socket did not take all that was encrypted. */
    boolean isBlocked() {
        return engine != null && encryptedOut.hasRemaining();
    }

    /** Sends what is encrypted. */
    void flush() throws IOException {
        if (engine != null) {
            channel.write(encryptedOut);
        }
    }

    /**
     * Reads what has come, or waits for some if the channel blocks.
     *
     * @return how many bytes, 0 if none; over TLS there may be more that a selector does not see
     */
    int read(ByteBuffer in) throws IOException {
        if (engine == null) {
            int count = channel.read(in);
            if (count < 0) {
                throw closed();
            }
            return count;
        }
        while (!plainIn.hasRemaining()) {
            if (!unwrap() && !channel.isBlocking()) {
                return 0;
            }
        }
        int count = Math.min(in.remaining(), plainIn.remaining());
        in.put(plainIn.slice(plainIn.position(), count));
        plainIn.position(plainIn.position() + count);
        return count;
    }

    /** Decrypts a record; reads from the socket if there is none. False if the socket has none. */
    private boolean unwrap() throws IOException {
        plainIn.compact();
        SSLEngineResult result = engine.unwrap(encryptedIn, plainIn);
        plainIn.flip();
        if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
            throw closed();
        }
        if (result.getStatus() != SSLEngineResult.Status.BUFFER_UNDERFLOW) {
            return true;
        }
        encryptedIn.compact();
        int count = channel.read(encryptedIn);
        encryptedIn.flip();
        if (count < 0) {
            throw closed();
        }
        return count > 0;
    }

    private static EOFException closed() {
        return new EOFException("the server closed a connection: see its log");
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
