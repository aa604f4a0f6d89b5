package io.firn.server.wire;

/** What an exchange needs of the connection that it belongs to. */
interface ExchangeOwner extends ClientConnection {

    /** Called on the event loop when an exchange was answered. */
    void onAnswered();

    /** Closes the connection, and logs the reason unless it is null. */
    void close(String reason, Throwable cause);

    /** Returns what runs the connection's work in the background. Thread-safe. */
    SerialExecutor background();

    /** Returns the memory of the connection's responses. Thread-safe. */
    ConnectionResponseMemory answers();

    /** Returns the memory of requests that wait, which the connection shares. Thread-safe. */
    ClientShares parked();

    /**
     * Keeps memory of a request in use beyond the end of the connection, which has not ended yet.
     *
     * @return gives the memory back; to be run once, on any thread
     */
    Runnable keepRequestBytes(long bytes);

    /**
     * Adds to the memory of the connection's requests.
     *
     * @param decoded how many of the bytes are those of requests as objects
     */
    void addRequestBytes(long bytes, long decoded);

    /** Returns the mapping of failures to Kafka's exceptions. Thread-safe. */
    WireErrors errors();
}
