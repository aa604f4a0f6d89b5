package io.firn.format;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.kafka.SeededTest;
import java.util.Random;
import java.util.zip.CRC32C;

class HeadedCrcTest {
    private static final int FROM = 21;
    private static final int TO = 70;

    @SeededTest
    void shouldBeTheCrcOfAllBytesHoweverOftenTheHeadRepeats(long seed) {
        Random random = new Random(seed);
        HeadedCrc crc = new HeadedCrc();
        byte[] head = new byte[TO + 5];
        byte[] value = new byte[0];
        for (int i = 0; i < 2_000; i++) {
            if (random.nextInt(3) == 0) {
                value = new byte[random.nextInt(1 << random.nextInt(13))];
                random.nextBytes(head);
                crc.reset();
            }
            random.nextBytes(value);
            Source source = new Source();
            Sources.values()[random.nextInt(Sources.values().length)].hand(source, value);

            CRC32C expected = new CRC32C();
            expected.update(head, FROM, TO - FROM);
            expected.update(value);
            expected.update(0);
            assertEquals((int) expected.getValue(), crc.of(head, FROM, TO, source));
        }
    }
}
