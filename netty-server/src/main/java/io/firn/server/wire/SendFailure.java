package io.firn.server.wire;

import io.firn.host.BatchRun;
import io.netty.channel.unix.Errors;
import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.net.ssl.SSLException;

/**
 * Why a socket has not taken responses, if that is not because of its peer. What is written
 * together fails together, so the bytes of the log that are named are those whose file is too
 * short, or else the first ones. Not thread-safe.
 */
final class SendFailure {
    /**
     * As Linux numbers them: EPIPE, ENETUNREACH, ECONNRESET, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH.
     */
    private static final Set<Integer> NUMBERS_OF_PEER = Set.of(-32, -101, -104, -110, -112, -113);

    /** In Java's own messages, which have no number, in English. */
    private static final List<String> OF_PEER =
            List.of(
                    "broken pipe",
                    "connection reset",
                    "connection timed out",
                    "no route to host",
                    "network is unreachable",
                    "host is down");

    private String named;
    private boolean isShort;
    private int runs;

    /** Returns whether the peer has closed the connection, or cannot be reached any more. */
    static boolean isOfPeer(Throwable cause) {
        if (cause instanceof ClosedChannelException
                || cause instanceof SocketException
                || cause instanceof SSLException) {
            return true;
        }
        if (cause instanceof Errors.NativeIoException failed) {
            return NUMBERS_OF_PEER.contains(failed.expectedErr());
        }
        if (!(cause instanceof IOException)) {
            return false;
        }
        String message = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
        return OF_PEER.stream().anyMatch(message::contains);
    }

    /** Adds bytes of the log that were not sent, before they are closed. */
    void add(BatchRun run) {
        runs++;
        if (isShort) {
            return;
        }
        BatchRun.FileRange range = run.fileRange();
        String found = "";
        if (range != null) {
            try {
                long size = range.file().size();
                isShort = size < range.position() + run.bytes().remaining();
                found = ", whose file has " + size + " bytes";
            } catch (IOException e) {
                found = ", whose size cannot be read (" + e.getMessage() + ")";
            }
        }
        if (isShort || named == null) {
            named = run + found;
        }
    }

    /** Returns what was expected, what was found and what is to be done. */
    String reason() {
        if (named == null) {
            return "a response could not be sent";
        }
        String others = isShort || runs == 1 ? "" : ", or " + (runs - 1) + " others after them";
        return "a response could not be sent; expected was "
                + named
                + others
                + ". Restore the file if somebody has changed it; bin/firn verify shows what is"
                + " left";
    }
}
