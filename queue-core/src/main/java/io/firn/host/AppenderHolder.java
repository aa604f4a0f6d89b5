package io.firn.host;

/**
 * Has a shared appender open for a long time, and gives it up for an exclusive one while it does
 * not use it; see {@link HostedPartition#openAppender(AppenderHolder)}. Its {@code toString} names
 * it in messages.
 *
 * @see HostedStore
 */
public interface AppenderHolder {

    /**
     * Called when an exclusive appender is wanted, by the thread that wants it, under a lock of the
     * partition: must neither wait nor call the partition.
     *
     * @return true if it gives the appender up, and uses it no more: the partition closes it. False
     *     if it is in use; the exclusive appender is then refused
     */
    boolean giveUp();
}
