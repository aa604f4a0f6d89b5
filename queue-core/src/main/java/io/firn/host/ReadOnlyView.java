package io.firn.host;

/**
 * What a read-only store returns in place of its own objects, which also have the methods that
 * write. {@link HostedStore#of}, {@link HostedPartition#of} and {@link HostedCursor#of} find the
 * object behind it. Implemented by Firn only.
 *
 * @param <T> the type of the object
 */
public interface ReadOnlyView<T> {

    /** Returns the object itself; its methods that write throw. */
    T hosted();
}
