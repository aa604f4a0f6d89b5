package io.firn.pmem;

/**
 * The ways to store into persistent memory and to flush it. One that is named and cannot be used is
 * refused when the store is opened; only AUTO chooses.
 *
 * @see PmemTier
 */
public enum Provider {
    /** The best of the others that works: LIBPMEM where native access is enabled, otherwise JDK. */
    AUTO,
    /**
     * Intel's llpl 1.2.0-release. Needs its jar on the class path and the system's libpmem1,
     * libpmemobj1 and libpmempool1; Java 24 and later warn of its native code.
     */
    LLPL,
    /** The JDK's own {@code READ_WRITE_SYNC} mappings. Needs no native code and no flag. */
    JDK,
    /**
     * libpmem through the foreign-function API of Java 22 and later. Needs the system's libpmem1;
     * Java warns of native code unless {@code --enable-native-access} names the caller.
     */
    LIBPMEM
}
