package io.firn.tx;

import io.firn.ClosedException;
import io.firn.FirnException;
import io.firn.MediumException;
import io.firn.RefusedException;
import io.firn.RetryableException;
import io.firn.StoreFullException;
import io.firn.UnknownTopicException;

/**
 * Why a producer cannot be used: the outcome of its transaction is unknown, or there was no room
 * for its entry when the store was opened. Thread-safe.
 */
final class TxFailure {
    private volatile FirnException failure;

    /** Why recovery could not write its entry; null once that is written. */
    private volatile FirnException unwritten;

    /** A decision may or may not be durable: it is found out when the store is opened again. */
    FirnException set(TxProducer producer, FirnException why) {
        failure =
                ofKind(
                        producer
                                + ": the outcome of its transaction could not be written ("
                                + why.getMessage()
                                + "), so it is unknown until the store is opened again",
                        why);
        return failure;
    }

    /** Returns an exception that its catcher treats as its cause. */
    static FirnException ofKind(String message, FirnException why) {
        FirnException made;
        if (why instanceof ClosedException) {
            made = new ClosedException(message);
        } else if (why instanceof UnknownTopicException) {
            made = new UnknownTopicException(message);
        } else if (why instanceof RefusedException) {
            made = new RefusedException(message);
        } else if (why instanceof RetryableException) {
            made = new RetryableException(message);
        } else {
            made = new MediumException(message);
        }
        made.initCause(why);
        return made;
    }

    /**
     * Recovery found no room in the journal to write what was found to be done. Until it is written
     * the producer begins no transaction, which that could be taken for.
     */
    void unwritten(FirnException why) {
        unwritten = why;
    }

    /** Called when an entry was written. */
    void onWritten() {
        unwritten = null;
    }

    boolean isUnwritten() {
        return unwritten != null;
    }

    /** Throws when recovery could not write the producer's entry, and it was not written since. */
    void checkWritten() {
        FirnException why = unwritten;
        if (why != null) {
            throw new StoreFullException(why.getMessage(), why);
        }
    }

    boolean isSet() {
        return failure != null;
    }

    /** Throws what was set. */
    void check() {
        FirnException first = failure;
        if (first != null) {
            throw ofKind(first.getMessage(), first);
        }
    }
}
