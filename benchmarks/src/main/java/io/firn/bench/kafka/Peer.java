package io.firn.bench.kafka;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/**
 * A client connection without a thread of its own, so that one thread can serve a thousand clients.
 * Requests may be sent before earlier ones are answered. Used only by the thread of its selector.
 */
final class Peer {
    private final SocketChannel channel;
    private final SelectionKey key;
    private final String clientId;
    private final Queue<ByteBuffer> out = new ArrayDeque<>();
    private final Queue<Consumer<ByteBufferAccessor>> expected = new ArrayDeque<>();
    private final ByteBuffer length = ByteBuffer.allocate(4);
    private ByteBuffer body;
    private int correlation;

    Peer(Selector selector, InetSocketAddress server, String clientId) throws IOException {
        this.clientId = clientId;
        channel = SocketChannel.open();
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        boolean connected = channel.connect(server);
        key =
                channel.register(
                        selector, connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, this);
    }

    /** Sends a request; the action runs when its response has arrived. */
    <T extends ApiMessage> void send(
            ApiKeys api, int version, ApiMessage request, Supplier<T> empty, Consumer<T> onAnswer)
            throws IOException {
        short v = (short) version;
        out.add(frame(api, v, request));
        expected.add(
                in -> {
                    new ResponseHeaderData().read(in, api.responseHeaderVersion(v));
                    T answer = empty.get();
                    answer.read(in, v);
                    onAnswer.accept(answer);
                });
        if (channel.isConnected()) {
            write();
        }
    }

    private ByteBuffer frame(ApiKeys api, short version, ApiMessage request) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        RequestHeaderData header =
                new RequestHeaderData()
                        .setRequestApiKey(api.id)
                        .setRequestApiVersion(version)
                        .setCorrelationId(correlation++)
                        .setClientId(clientId);
        short headerVersion = api.requestHeaderVersion(version);
        int size = header.size(cache, headerVersion) + request.size(cache, version);
        ByteBuffer bytes = ByteBuffer.allocate(4 + size).putInt(size);
        ByteBufferAccessor writable = new ByteBufferAccessor(bytes);
        header.write(writable, cache, headerVersion);
        request.write(writable, cache, version);
        return bytes.flip();
    }

    /** Reads and writes after its key was selected. */
    void ready() throws IOException {
        if (key.isConnectable()) {
            channel.finishConnect();
            key.interestOps(SelectionKey.OP_READ);
            write();
        }
        if (key.isValid() && key.isWritable()) {
            write();
        }
        if (key.isValid() && key.isReadable()) {
            read();
        }
    }

    private void write() throws IOException {
        while (!out.isEmpty()) {
            channel.write(out.peek());
            if (out.peek().hasRemaining()) {
                key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                return;
            }
            out.poll();
        }
        key.interestOps(SelectionKey.OP_READ);
    }

    private void read() throws IOException {
        while (channel.isOpen()) {
            ByteBuffer into = body == null ? length : body;
            if (channel.read(into) < 0) {
                throw new EOFException("the server closed the connection of " + clientId);
            }
            if (into.hasRemaining()) {
                return;
            }
            if (body == null) {
                body = ByteBuffer.allocate(length.flip().getInt());
                length.clear();
            } else {
                ByteBufferAccessor in = new ByteBufferAccessor(body.flip());
                body = null;
                expected.remove().accept(in);
            }
        }
    }

    boolean isConnected() {
        return channel.isConnected();
    }

    /** Whether all requests are answered. */
    boolean isQuiet() {
        return expected.isEmpty();
    }

    void close() throws IOException {
        channel.close();
    }
}
