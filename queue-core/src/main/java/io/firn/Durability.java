package io.firn;

/**
 * When an append to a topic returns, and what its readers see.
 *
 * @see TopicOptions
 */
public enum Durability {
    /** Appends return when the record is durable; readers see only what is durable. */
    DURABLE,
    /**
     * Appends return when the record is written; it is made durable within the topic's force
     * interval. Readers see what is written. After a power cut, offsets that were read but never
     * forced are assigned again.
     */
    WRITTEN
}
