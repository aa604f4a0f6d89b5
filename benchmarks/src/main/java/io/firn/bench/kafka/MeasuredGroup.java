package io.firn.bench.kafka;

import java.io.IOException;

/** A group whose members come and go together. */
interface MeasuredGroup extends AutoCloseable {

    /** Has so many more join, all at once. */
    void add(int count) throws IOException;

    /** Has so many leave, the first one among them; returns when they have left. */
    void remove(int count) throws IOException;

    /** Returns when all are in one generation and have all partitions among them. */
    void awaitStable() throws IOException;

    /** The generation that the members are in. */
    int generation();

    /** JoinGroup requests so far; -1 when nobody knows. */
    int joins();

    @Override
    void close() throws IOException;
}
