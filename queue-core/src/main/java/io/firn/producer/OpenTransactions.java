package io.firn.producer;

import io.firn.log.BatchInfo;
import io.firn.log.SegmentedLog;
import java.util.UUID;

/** Says which transactions are open; asked by a partition before it stores a batch of one. */
public interface OpenTransactions {
    /** When none can have begun. */
    OpenTransactions NONE =
            new OpenTransactions() {
                @Override
                public boolean take(SegmentedLog log, BatchInfo batch) {
                    return false;
                }

                @Override
                public void onCursorDeleted(UUID topicId, String cursor) {
                    // nobody has moved it
                }
            };

    /**
     * Returns whether the producer of a batch has an open transaction to which the partition with a
     * log belongs. The caller has the turn and the monitor of the partition's producers until the
     * batch is stored, so that no batch comes after the marker that ends its transaction (O11).
     * Does not wait for anything.
     *
     * @throws io.firn.ProducerFencedException when the producer's epoch is not the present one
     */
    boolean take(SegmentedLog log, BatchInfo batch);

    /** Called when a cursor was deleted; on return no recovery brings it back. */
    void onCursorDeleted(UUID topicId, String cursor);
}
