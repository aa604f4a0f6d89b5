package io.firn.bench.peers;

import java.io.IOException;
import java.nio.file.Path;

/** A log as one of the compared systems has it, open in one directory. */
interface PeerLog extends AutoCloseable {
    /** Opens the log in a directory: a new log, or the one that is there. */
    void open(Path directory, Shape shape) throws Exception;

    /** Returns an appender for the calling thread. */
    LogAppender appender() throws Exception;

    /** Returns a reader for the calling thread, at the first record. */
    LogReader reader() throws Exception;

    /** Waits until everything that was appended is in the log's files. */
    default void finish() {}

    /** Returns the version of the system. */
    String version();

    @Override
    void close() throws IOException;

    /** Appends records. */
    interface LogAppender {
        /**
         * Appends a value as one record, or as each record of one batch where the system is
         * measured with batches. Returns when the record survives what the system promises.
         */
        void append(byte[] value) throws Exception;
    }

    /** Reads records in order. */
    interface LogReader extends AutoCloseable {
        /**
         * Copies the values of some records one after the other to the start of a buffer, and calls
         * back after each. Returns how many there were, without waiting.
         */
        int poll(byte[] target, Runnable onRecord) throws Exception;

        /** Returns to the first record. */
        void rewind() throws Exception;

        @Override
        void close();
    }

    /**
     * What a log is to hold.
     *
     * @param bytes of a record's value
     * @param records that will be appended at most
     * @param touched whether all pages are present before the first append, if the system can do it
     * @param threads that append
     */
    record Shape(int bytes, long records, boolean touched, int threads) {
        /** Returns a length of file that is enough, headers included. */
        long room() {
            return records * (bytes + 96L) + (16 << 20);
        }
    }
}
