package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.firn.api.Waiting;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/** A client that says exactly what it is told to, right or wrong. */
public final class Wire implements AutoCloseable {
    private static final int HANGS_AFTER_MS =
            (int) TimeUnit.SECONDS.toMillis(Waiting.HANGS_AFTER_S);

    private final Socket socket;
    private final DataInputStream in;

    Wire(FirnServer server) throws IOException {
        this(server.port());
    }

    Wire(int port) throws IOException {
        this("127.0.0.1", port);
    }

    /** From an address of this machine, such as 127.0.0.2: limits go by address. */
    Wire(String from, int port) throws IOException {
        socket = new Socket();
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(new InetSocketAddress("127.0.0.1", port), HANGS_AFTER_MS);
        socket.setSoTimeout(HANGS_AFTER_MS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
    }

    /** By a connection that is open, and may be encrypted. */
    Wire(Socket open) throws IOException {
        socket = open;
        socket.setSoTimeout(HANGS_AFTER_MS);
        in = new DataInputStream(socket.getInputStream());
    }

    /** A request, without its length. */
    public static byte[] request(ApiKeys key, short version, ApiMessage body) {
        return request(key, version, body, "wire");
    }

    public static byte[] request(ApiKeys key, short version, ApiMessage body, String clientId) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        RequestHeaderData header =
                new RequestHeaderData()
                        .setRequestApiKey(key.id)
                        .setRequestApiVersion(version)
                        .setCorrelationId(7)
                        .setClientId(clientId);
        short headerVersion = key.requestHeaderVersion(version);
        int size = header.size(cache, headerVersion) + body.size(cache, version);
        ByteBuffer bytes = ByteBuffer.allocate(size);
        ByteBufferAccessor out = new ByteBufferAccessor(bytes);
        header.write(out, cache, headerVersion);
        body.write(out, cache, version);
        return bytes.array();
    }

    void send(byte[] request) throws IOException {
        sendRaw(framed(request));
    }

    static byte[] framed(byte[] request) {
        return ByteBuffer.allocate(4 + request.length).putInt(request.length).put(request).array();
    }

    void sendRaw(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    /** The next answer, without its length. */
    ByteBuffer receive() throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return ByteBuffer.wrap(bytes);
    }

    /** The next answer, without its length, read in pieces with pauses between them. */
    ByteBuffer receiveSlowly(int pieceBytes, long pauseMs) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        for (int from = 0; from < bytes.length; from += pieceBytes) {
            in.readFully(bytes, from, Math.min(pieceBytes, bytes.length - from));
            java.util.concurrent.locks.LockSupport.parkNanos(pauseMs * 1_000_000);
        }
        return ByteBuffer.wrap(bytes);
    }

    /** Asks, and waits for the answer. */
    <T extends ApiMessage> T ask(ApiKeys key, int version, ApiMessage body, T answer)
            throws IOException {
        send(request(key, (short) version, body));
        return receive(key, version, answer);
    }

    /** The next answer. */
    <T extends ApiMessage> T receive(ApiKeys key, int version, T answer) throws IOException {
        ByteBufferAccessor in = new ByteBufferAccessor(receive());
        new ResponseHeaderData().read(in, key.responseHeaderVersion((short) version));
        answer.read(in, (short) version);
        assertEquals(0, in.remaining());
        return answer;
    }

    /**
     * Asks and is answered twice. What came before on another connection of the same event loop was
     * handled meanwhile, so that an answer to it would have been sent.
     */
    void askTwice() throws IOException {
        for (int i = 0; i < 2; i++) {
            ask(
                    ApiKeys.API_VERSIONS,
                    0,
                    new ApiVersionsRequestData(),
                    new ApiVersionsResponseData());
        }
    }

    /** Whether nothing comes for some ms; of use to see that an answer is held back. */
    boolean isSilentFor(int ms) throws IOException {
        int before = socket.getSoTimeout();
        socket.setSoTimeout(ms);
        try {
            int found = in.read();
            return fail("found " + found + ", expected was silence");
        } catch (java.net.SocketTimeoutException e) {
            return true;
        } finally {
            socket.setSoTimeout(before);
        }
    }

    /** How many bytes have come and were not received; waits for nothing. */
    int available() throws IOException {
        return in.available();
    }

    /** Whether nothing comes; takes one byte of what does. */
    boolean isSilent() throws IOException {
        try {
            return in.read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            return true;
        }
    }

    /** Reads for some ms; true when the server ends the connection, false when it only is quiet. */
    boolean isClosedWithin(int ms) throws IOException {
        socket.setSoTimeout(ms);
        return isClosedByServer();
    }

    /** Whether the server has closed the connection, as it should; reads what else comes. */
    boolean isClosedByServer() throws IOException {
        try {
            while (in.read() >= 0) {
                continue;
            }
            return true;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true; // reset
        }
    }

    /** Ends without a good-bye, whatever is on its way. */
    void cut() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
