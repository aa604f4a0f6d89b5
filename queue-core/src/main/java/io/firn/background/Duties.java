package io.firn.background;

import org.agrona.concurrent.NanoClock;

/** Where duties are entered: they are run by one thread or by several, in the order of calls. */
public interface Duties {
    /** Makes a duty run soon; for any thread, allocates nothing. */
    void call(Duty duty);

    /** The time of the last look at the clock; before the first one, the clock's. */
    long nowMs();

    /** The clock that measures the pauses after failures. */
    NanoClock nanoClock();

    /** A number for the next duty that is created. */
    long nextNumber();
}
