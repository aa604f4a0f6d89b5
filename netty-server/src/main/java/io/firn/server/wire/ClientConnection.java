package io.firn.server.wire;

import io.firn.server.security.Access;
import io.firn.server.security.Authentication;
import io.netty.channel.EventLoop;
import java.util.Map;

/**
 * A client's connection, as the handlers of its requests see it. Methods are called on the
 * connection's event loop, except where they say otherwise.
 */
public interface ClientConnection {

    /** Returns the thread of the connection. Thread-safe. */
    EventLoop eventLoop();

    /** Returns when it was opened, by the clock of {@link System#nanoTime}. Thread-safe. */
    long openedNs();

    /** Returns the client's address. Thread-safe. */
    String peerAddress();

    /** Returns who the client is, as far as it has proved it. Thread-safe. */
    Authentication authentication();

    /** Returns what the client may do. Thread-safe. */
    default Access access() {
        return authentication().access();
    }

    /** Returns the name of the listener that accepted the connection. Thread-safe. */
    default String listener() {
        return authentication().listener().name();
    }

    /** Returns who the client is; without authentication, always the same. Thread-safe. */
    default String principal() {
        return authentication().principal();
    }

    /** Returns the client whose share of a limit the connection uses. Thread-safe. */
    default String owner() {
        return peerAddress();
    }

    /** Notes how the client names itself and its library, which proves nothing. */
    void introduce(Introduction introduction);

    /** Returns how the client names itself. Thread-safe. */
    Introduction introduction();

    /** Called when the client may have done all that its listener asks for. */
    void onProgress();

    /**
     * Reads no more requests, and closes the connection when those that were read are answered;
     * logs why.
     */
    void endAfterAnswers(String reason);

    /** Returns the objects that handlers keep for as long as the connection lives. */
    Map<Object, Object> attachments();

    /** Registers an action that runs when the connection ends; runs it now if it has ended. */
    void onClose(Runnable action);

    /** Removes an action that was registered. */
    void removeOnClose(Runnable action);

    /**
     * Stops handling requests until {@link #unblock}, so that later requests do not overtake one
     * that waits.
     */
    void block();

    /** Handles requests again. */
    void unblock();

    /**
     * Reads and handles no more requests for some time, because a quota is exceeded. Those in
     * progress are answered. After 30 s it reads on in any case: what is used then is recorded, and
     * has to be waited for again.
     */
    void throttle(long ms);

    /** Closes the connection because a failure cannot be reported in any other way; logs why. */
    void closeAfterFailure(String reason);

    /**
     * How a client names itself and its library: whatever it likes.
     *
     * @param clientId Kafka's {@code client.id}
     * @param software name and version of the library
     */
    record Introduction(String clientId, String software) {
        static final Introduction NONE = new Introduction("", "");
        private static final int MOST_CHARS = 100;

        /** Creates it; what is too long to be shown is cut. */
        public Introduction {
            clientId = cut(clientId);
            software = cut(software);
        }

        private static String cut(String text) {
            String given = text == null ? "" : text;
            return given.length() <= MOST_CHARS ? given : given.substring(0, MOST_CHARS) + "…";
        }
    }
}
