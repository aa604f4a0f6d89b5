package io.firn.bench.kafka;

import java.io.IOException;

/** A consumer group whose members join and leave together. */
interface MeasuredGroup extends AutoCloseable {

    /** Lets a number of members join at once. */
    void add(int count) throws IOException;

    /** Lets a number of members leave, including the first; returns when they have left. */
    void remove(int count) throws IOException;

    /** Waits until all members are in one generation and all partitions are assigned. */
    void awaitStable() throws IOException;

    /** Returns the generation of the members. */
    int generation();

    /** Returns the number of JoinGroup requests so far; −1 if it is not known. */
    int joins();

    @Override
    void close() throws IOException;
}
