package io.firn.host;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.InvalidOptionException;
import io.firn.ProducerFencedException;
import java.nio.ByteBuffer;

/**
 * An appender that also takes batches which were made elsewhere, such as a client's. Every appender
 * of a partition is one.
 *
 * @see HostedStore
 */
public interface HostedAppender extends Appender {

    /**
     * Returns an appender with the methods for batches that were made elsewhere.
     *
     * @throws InvalidOptionException when it is not one of a store that Firn opened
     */
    static HostedAppender of(Appender appender) {
        return Hosted.as(HostedAppender.class, appender);
    }

    /**
     * Appends a Kafka record batch (magic 2) that was made elsewhere, unchanged except for its base
     * offset and epoch, which are set in the log, not in the buffer. The batch is checked first:
     * length, CRC, counts, and the records themselves unless they are compressed. A batch of an
     * idempotent producer is checked against the producer's last batches; a duplicate is not
     * appended, and its original offset is returned. A delete horizon that another log's compaction
     * has set holds here, too: from then on the batch's tombstones may be removed.
     *
     * @param batch one batch between position and limit, which do not change
     * @throws InvalidBatchException when it is not a valid batch, or has a record without a key and
     *     the topic is compacted (a compressed batch is then decompressed to see that); says why
     * @throws OutOfOrderSequenceException see {@link Batch#producer}
     * @throws ProducerFencedException see {@link Batch#producer}
     */
    long appendBatch(ByteBuffer batch);

    /** As {@link #appendBatch}, without waiting; or {@link Appender#BACK_PRESSURED}. */
    long tryAppendBatch(ByteBuffer batch);
}
