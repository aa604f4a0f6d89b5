package io.firn.tools;

import io.firn.InvalidOptionException;
import io.firn.RefusedException;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Finds out whether a server answers at an address, and whether it speaks TLS. Kafka's clients try
 * again until their time is over, and do not say which of these it was.
 */
final class ServerProbe {
    private static final int CONNECT_MS = 3_000;
    private static final int ANSWER_MS = 5_000;

    /** An ApiVersions request, version 0: the only one that each server answers to each client. */
    private static final byte[] API_VERSIONS =
            ByteBuffer.allocate(14)
                    .putInt(10)
                    .putShort((short) 18)
                    .putShort((short) 0)
                    .putInt(0)
                    .putShort((short) -1)
                    .array();

    private static final int LARGEST_ANSWER = 1 << 20;

    private ServerProbe() {}

    /**
     * Returns if one of the addresses has a server that speaks as the configuration says.
     *
     * @throws InvalidOptionException when what is given is no address
     * @throws RefusedException when none has one
     */
    static void check(String servers, Properties config) {
        String protocol = config.getProperty("security.protocol", "PLAINTEXT");
        boolean isTls = protocol.toUpperCase(Locale.ROOT).endsWith("SSL");
        List<String> flaws = new ArrayList<>();
        for (String each : servers.split(",", -1)) {
            String flaw = flaw(each.strip(), isTls);
            if (flaw == null) {
                return;
            }
            flaws.add(flaw);
        }
        throw new RefusedException(String.join("\n", flaws));
    }

    private static String flaw(String server, boolean isTls) {
        int colon = server.lastIndexOf(':');
        String port = server.substring(colon + 1);
        if (colon < 1 || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65_535) {
            throw new InvalidOptionException(
                    "--server: HOST:PORT is expected, found '" + Escapes.printable(server) + "'");
        }
        String host = server.substring(0, colon).replaceAll("^\\[|\\]$", "");
        try (Socket socket = new Socket()) {
            var address =
                    new InetSocketAddress(InetAddress.getByName(host), Integer.parseInt(port));
            socket.connect(address, CONNECT_MS);
            socket.setSoTimeout(ANSWER_MS);
            return isTls ? withTls(server, host, socket) : withoutTls(server, socket);
        } catch (UnknownHostException e) {
            return "no server answers at " + server + ": the host is not known";
        } catch (SocketTimeoutException e) {
            return "no server answers in time at " + server + ". Is this its address?";
        } catch (IOException e) {
            return "no server answers at "
                    + server
                    + ": "
                    + e.getMessage()
                    + ". Is it running, and is this its address?";
        }
    }

    private static String withTls(String server, String host, Socket socket) throws IOException {
        SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
        try (SSLSocket secure = (SSLSocket) factory.createSocket(socket, host, 0, false)) {
            secure.startHandshake();
            return null;
        } catch (SSLException e) {
            // Whether the certificate is trusted is found out later, with the client's settings.
            boolean isClosed = e.getCause() instanceof EOFException;
            boolean isOther = String.valueOf(e.getMessage()).contains("unrecognized SSL message");
            return isClosed || isOther ? speaksNoTls(server) : null;
        } catch (SocketException e) {
            return speaksNoTls(server); // reset
        }
    }

    private static String speaksNoTls(String server) {
        return "the server at "
                + server
                + " does not speak TLS: security.protocol in --command-config has to be PLAINTEXT or"
                + " SASL_PLAINTEXT for this listener";
    }

    private static String withoutTls(String server, Socket socket) throws IOException {
        socket.getOutputStream().write(API_VERSIONS);
        int length;
        try {
            length = new DataInputStream(socket.getInputStream()).readInt();
        } catch (EOFException | SocketException e) {
            length = -1;
        }
        // The first bytes of an alert of TLS are a large number.
        return length > 0 && length <= LARGEST_ANSWER
                ? null
                : "the server at "
                        + server
                        + " does not answer without TLS: --command-config needs"
                        + " security.protocol=SSL or SASL_SSL for this listener";
    }
}
