package io.firn.server.wire;

/**
 * The memory of a request that waits, and that of a response, from before it is made until the
 * socket has taken it.
 */
final class ExchangeMemory {
    private final ExchangeOwner connection;
    private final ConnectionResponseMemory answers;
    private final long number;
    private volatile boolean answerCounts;
    private long parkedBytes; // on the event loop
    private long parkedDecoded;

    // Guarded by this.
    private boolean working;
    private Runnable giveBack;

    ExchangeMemory(ExchangeOwner connection) {
        this.connection = connection;
        this.answers = connection.answers();
        this.number = answers.nextNumber();
    }

    // ---- the request, when its connection has ended

    /** Work in the background begins, which needs the request as an object. */
    synchronized void beginWork() {
        working = true;
    }

    /** That work has ended. */
    void endWork() {
        Runnable end;
        synchronized (this) {
            working = false;
            end = giveBack;
            giveBack = null;
        }
        if (end != null) {
            end.run();
        }
    }

    /**
     * The connection ends. The memory of the request counts until the work has ended: otherwise a
     * client could send requests and go, and fill the heap with what is still to be done.
     */
    synchronized void keepWhileWorking(long bytes) {
        if (working) {
            giveBack = connection.keepRequestBytes(bytes);
        }
    }

    // ---- the response

    /** Counts memory that the response is about to use. Thread-safe. */
    void addAnswer(long bytes) {
        answerCounts = true;
        answers.add(number, bytes);
    }

    /** Returns whether answers use too much memory to make more of this one. Thread-safe. */
    boolean isAnswerExceeded() {
        answerCounts = true; // it may have to leave a line
        return answers.mustWait(number);
    }

    /** The memory of the response is not used, or counts elsewhere. Thread-safe. */
    void releaseAnswer() {
        if (answerCounts) {
            answers.release(number);
        }
    }

    // ---- waiting

    /**
     * Counts a request as one that waits.
     *
     * @param decoded how many of the bytes are those of the request as objects
     * @return false if too much waits already; the request then counts as before
     */
    boolean park(long bytes, long decoded) {
        if (parkedBytes > 0) {
            return true;
        }
        if (!connection.parked().tryAdd(connection.owner(), bytes)) {
            return false;
        }
        parkedBytes = bytes;
        parkedDecoded = decoded;
        connection.addRequestBytes(-bytes, -decoded);
        return true;
    }

    /** The request does not wait any more. */
    void unpark() {
        if (parkedBytes > 0) {
            connection.parked().add(connection.owner(), -parkedBytes);
            connection.addRequestBytes(parkedBytes, parkedDecoded);
            parkedBytes = 0;
        }
    }
}
