package io.firn.golden;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.Durability;
import io.firn.RecordId;
import io.firn.StoredRecord;
import io.firn.Topic;
import io.firn.TopicAppender;
import io.firn.TopicOptions;
import io.firn.kafka.SeededTest;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.junit.jupiter.api.io.TempDir;

class TopicAppenderTest {
    private static final int PARTITIONS = 7;

    @TempDir private Path directory;

    @SeededTest
    void shouldPutAKeyWhereKafkasProducerPutsIt(long seed) {
        Random random = new Random(seed);
        TopicOptions options =
                TopicOptions.defaults()
                        .withDurability(Durability.WRITTEN)
                        .withSegmentBytes(1 << 20)
                        .withPartitions(PARTITIONS);
        try (FileStore files = new FileStore(directory)) {
            Topic topic = files.store().createTopic("keys", options);
            try (TopicAppender appender = topic.openAppender()) {
                for (int i = 0; i < 1_000; i++) {
                    byte[] key = new byte[random.nextInt(30)];
                    random.nextBytes(key);
                    int expected = BuiltInPartitioner.partitionForKey(key, PARTITIONS);
                    RecordId id = appender.append(key, new byte[i % 10]);

                    assertEquals(expected, appender.partitionFor(key));
                    assertEquals(expected, id.partition());
                    assertEquals(id.offset() + 1, topic.partition(expected).nextOffset());
                }
            }
            int records = 0;
            for (int partition = 0; partition < PARTITIONS; partition++) {
                List<StoredRecord> found = FileStore.readAll(topic.partition(partition));
                for (StoredRecord record : found) {
                    assertEquals(
                            partition,
                            BuiltInPartitioner.partitionForKey(record.key(), PARTITIONS));
                }
                records += found.size();
            }
            assertEquals(1_000, records);
        }
    }
}
