package io.firn;

import java.util.function.UnaryOperator;

/**
 * A named stream of records in one or more partitions. Thread-safe.
 *
 * @see LogStore
 */
public interface Topic extends TopicReader {

    /**
     * Checks whether a topic can have a name. {@link LogStore#createTopic} does so too; this is for
     * programs that check their arguments before they open a store.
     *
     * @throws InvalidOptionException when the name is not 1 to 249 of {@code a–z A–Z 0–9 . _ -}, or
     *     is {@code .} or {@code ..}
     */
    static void checkName(String name) {
        boolean isName = name.length() <= 249 && name.matches("[a-zA-Z0-9._-]+");
        if (!isName || name.equals(".") || name.equals("..")) {
            throw new InvalidOptionException(
                    "a topic's name has 1 to 249 of the characters a-z A-Z 0-9 . _ - and is not"
                            + " '.' or '..': '"
                            + (name.length() > 260 ? name.substring(0, 260) + "…" : name)
                            + "'");
        }
    }

    @Override
    Partition partition(int index);

    /**
     * Changes the options that are set, durably; the others stay as they are. Retention,
     * compaction, roll age, compression, the force interval and the prepared space can be changed;
     * the number of partitions by {@link #addPartitions}; nothing else. When records need a key
     * from now on ({@link CleanupPolicy}), those without one that the topic has can still be read.
     *
     * @param options the topic may have more {@link TopicOptions#partitions} than these, and keeps
     *     them
     * @throws InvalidOptionException when something else that is set differs from {@link #options}
     */
    void changeOptions(TopicOptions options);

    /**
     * Changes the options as {@link #changeOptions} does, to what a function makes of those that
     * the topic has. No other change comes between. Clients of a server may change options, too:
     * with this, one option is changed and the others stay as they are.
     *
     * @param change is called once, on this thread; it must not change the topic
     * @throws InvalidOptionException as {@link #changeOptions}
     * @throws IllegalStateException when the function changes the topic
     */
    void updateOptions(UnaryOperator<TopicOptions> change);

    /**
     * Adds empty partitions, durably, up to a total number. Open appenders and tailers of the topic
     * keep to the partitions they know.
     *
     * @throws InvalidOptionException when the topic already has that many, or more
     */
    void addPartitions(int total);

    /** Returns an empty batch, compressed as the topic's options say. */
    Batch newBatch();

    /** Opens an appender that chooses the partition of each record. */
    TopicAppender openAppender();

    /**
     * Returns the cursor of that name; creates it if there is none. A cursor whose file is damaged
     * has no position; that is among {@link LogStore#findings}.
     *
     * @throws MediumException when its file cannot be read; a later call may succeed, unless a
     *     newer version of Firn wrote it
     */
    @Override
    Cursor cursor(String name);

    /** Deletes a cursor, durably; nothing happens when there is none. */
    void deleteCursor(String name);
}
