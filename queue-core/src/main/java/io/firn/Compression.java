package io.firn;

/**
 * How an embedded appender compresses its batches. Foreign batches keep their compression.
 *
 * @see TopicOptions
 */
public enum Compression {
    /** No compression. */
    NONE(0, ""),
    /** The JDK's gzip. */
    GZIP(1, ""),
    /** Through {@code org.xerial.snappy:snappy-java}. */
    SNAPPY(2, "org.xerial.snappy:snappy-java"),
    /** Through {@code at.yawk.lz4:lz4-java}. */
    LZ4(3, "at.yawk.lz4:lz4-java"),
    /** Through {@code com.github.luben:zstd-jni}. */
    ZSTD(4, "com.github.luben:zstd-jni");

    /** Cached, because {@code values()} allocates and readers ask for each batch. */
    private static final Compression[] BY_ID = values();

    private final int id;
    private final String artifact;

    Compression(int id, String artifact) {
        this.id = id;
        this.artifact = artifact;
    }

    /** Returns the number in a Kafka batch's attributes. */
    public int id() {
        return id;
    }

    /** Returns the Maven artifact that is needed at run time; empty when none is. */
    public String artifact() {
        return artifact;
    }

    /** Returns the compression with a number, or null when there is none. */
    public static Compression ofId(int id) {
        return id >= 0 && id < BY_ID.length ? BY_ID[id] : null;
    }
}
