package io.firn.append;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.kafka.SeededTest;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

class KeyPartitionerTest {
    @SeededTest
    void shouldHashAsKafkaDoes(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 10_000; i++) {
            byte[] key = new byte[random.nextInt(40)];
            random.nextBytes(key);
            int partitions = 1 + random.nextInt(1_000);

            assertEquals(Utils.murmur2(key), TopicLogAppender.KeyPartitioner.murmur2(key));
            assertEquals(
                    Utils.toPositive(Utils.murmur2(key)) % partitions,
                    TopicLogAppender.KeyPartitioner.partitionFor(key, partitions));
            assertEquals(
                    BuiltInPartitioner.partitionForKey(key, partitions),
                    TopicLogAppender.KeyPartitioner.partitionFor(key, partitions));
        }
    }

    /** Known answers, so that a change of Kafka's would show too. */
    @Test
    void shouldHashAsItAlwaysDid() {
        assertEquals(-973932308, hash("21"));
        assertEquals(-790332482, hash("foobar"));
        assertEquals(-985981536, hash("a-little-bit-long-string"));
        assertEquals(-1486304829, hash("a-little-bit-longer-string"));
        assertEquals(-58897971, hash("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8"));
    }

    private static int hash(String key) {
        return TopicLogAppender.KeyPartitioner.murmur2(key.getBytes(StandardCharsets.UTF_8));
    }
}
