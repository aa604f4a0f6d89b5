package io.firn.host;

/**
 * What is built on a store and ends with it, such as a server; see {@link HostedStore#attach}. Its
 * {@code toString} names it in messages.
 */
public interface StoreService {

    /**
     * Returns what only one of a store's services may be at a time, such as {@code server}; null if
     * others like it may be attached beside it. Always the same.
     */
    default String role() {
        return null;
    }

    /**
     * Called once, by the thread that closes the store, while the store can still be used. The
     * store is closed when this returns, or throws: end the work on it, but do not wait without a
     * limit. Not called after {@link HostedStore#detach}.
     */
    void onStoreClosing();
}
