package io.firn.compact;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.format.BatchRewriter;
import io.firn.format.KeyHash;
import io.firn.kafka.KafkaBatches;
import io.firn.producer.Producers;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class TransactionTraceTest {
    private final TransactionTrace trace = new TransactionTrace(new Producers().transactions());
    private final BatchRewriter batch = new BatchRewriter(new KeyHash());

    private BatchRewriter of(long producerId) throws IOException {
        ByteBuffer bytes =
                KafkaBatches.of(Compression.NONE)
                        .producer(producerId, 0, 0)
                        .transactional()
                        .encode(new byte[] {1}, null);
        batch.open(bytes, bytes.position(), bytes.remaining());
        return batch;
    }

    @Test
    void shouldNeedAMarkerWhileABatchOfItsTransactionStays() throws IOException {
        trace.begin();
        trace.stays(of(1));
        assertTrue(trace.needs(of(1)));
        assertFalse(trace.needs(of(1)), "of a transaction of which nothing is left");
    }

    @Test
    void shouldNeedEachMarkerOnceThereWereMoreProducersThanItRemembers() throws IOException {
        trace.begin();
        for (int id = 0; id < 16_384; id++) {
            trace.stays(of(id));
        }
        assertFalse(trace.needs(of(20_000)));
        trace.stays(of(7)); // known
        assertFalse(trace.needs(of(20_000)));
        trace.stays(of(30_000));
        assertTrue(trace.needs(of(30_000)));
        assertTrue(trace.needs(of(20_000)), "it may be one of those that were not remembered");
    }
}
