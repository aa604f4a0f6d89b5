package io.firn.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.kafka.SeededTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SmallFileTest {
    private static final Map<String, String> ORDERS = Map.of("name", "orders", "partitions", "4");

    @TempDir private Path directory;
    private Path file;

    @BeforeEach
    void nameTheFile() {
        file = directory.resolve("topic");
    }

    @Test
    void shouldBeReadableAsItIsDocumented() throws IOException {
        write(ORDERS);
        String text = Files.readString(file);

        String covered = "firn topic 1\nname=orders\npartitions=4\n";
        CRC32C crc = new CRC32C();
        crc.update(covered.getBytes(StandardCharsets.UTF_8));
        assertEquals(covered + String.format("crc32c=%08x%n", crc.getValue()), text);
    }

    @Test
    void shouldReadNothingWhereThereIsNoFile() throws IOException {
        assertNull(read());
    }

    @Test
    void shouldReadWhatWasWrittenLast() throws IOException {
        write(ORDERS);
        write(Map.of("name", "other"));

        assertEquals(Map.of("name", "other"), read());
        assertFalse(Files.exists(SmallFile.temporaryFor(file)));
    }

    @Test
    void shouldKeepAFileWithoutValues() throws IOException {
        write(Map.of());
        assertEquals(Map.of(), read());
    }

    @SeededTest
    void shouldKeepAnyText(long seed) throws IOException {
        Random random = new Random(seed);
        for (int round = 0; round < 20; round++) {
            Map<String, String> values = new HashMap<>();
            for (int i = random.nextInt(20); i > 0; i--) {
                values.put(text(random), text(random));
            }
            write(values);

            assertEquals(values, read());
        }
    }

    @Test
    void shouldNotMindWhatACrashLeft() throws IOException {
        write(ORDERS);
        Files.writeString(SmallFile.temporaryFor(file), "half of someth");
        assertEquals(ORDERS, read());

        write(Map.of("name", "other"));
        assertEquals(Map.of("name", "other"), read());
    }

    @Test
    void shouldNoticeEveryFlippedBit() throws IOException {
        write(ORDERS);
        byte[] good = Files.readAllBytes(file);
        for (int bit = 0; bit < good.length * 8; bit++) {
            byte[] bad = good.clone();
            bad[bit / 8] ^= (byte) (1 << (bit % 8));
            Files.write(file, bad);
            assertDamaged("bit " + bit);
        }
    }

    @Test
    void shouldNoticeEveryCutAndEveryAddition() throws IOException {
        write(ORDERS);
        String good = Files.readString(file);
        for (int length = 0; length < good.length(); length++) {
            Files.writeString(file, good.substring(0, length));
            assertDamaged("cut to " + length);
        }
        for (String more : new String[] {"\n", "\0", "x=y\n", good}) {
            Files.writeString(file, good + more);
            assertDamaged("with more");
        }
    }

    @Test
    void shouldRefuseAnotherKindOfFile() throws IOException {
        SmallFile.write(FileMedium.real(), file, "topics", 1, ORDERS);
        assertDamaged("its first line should begin 'firn topic '");
        SmallFile.write(FileMedium.real(), file, "cursor", 1, ORDERS);
        String message = assertDamaged("another kind");

        assertTrue(message.contains("'firn cursor 1'"), message);
        assertTrue(message.contains(file.toString()), message);
    }

    @Test
    void shouldRefuseANewerVersionAndReadAnOlderOne() throws IOException {
        SmallFile.write(FileMedium.real(), file, "topic", 3, ORDERS);
        String message = assertThrows(UnsupportedVersionException.class, this::read).getMessage();

        assertTrue(message.contains("version 3") && message.contains("up to 1"), message);
        assertEquals(ORDERS, SmallFile.read(FileMedium.real(), file, "topic", 4));
    }

    @Test
    void shouldNotReadAFileThatIsFarTooLong() throws IOException {
        Files.write(file, new byte[(16 << 20) + 1]);
        String message = assertDamaged("too long");

        assertTrue(message.contains("16777217 bytes"), message);
    }

    @Test
    void shouldRefuseToWriteWhatCouldNotBeRead() {
        FileMedium medium = FileMedium.real();
        for (String magic : new String[] {"", "two words", "Topic", "a\n"}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> SmallFile.write(medium, file, magic, 1, ORDERS),
                    magic);
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> SmallFile.write(medium, file, "topic", 0, ORDERS));
    }

    private void write(Map<String, String> values) throws IOException {
        SmallFile.write(FileMedium.real(), file, "topic", 1, values);
    }

    private Map<String, String> read() throws IOException {
        return SmallFile.read(FileMedium.real(), file, "topic", 1);
    }

    private String assertDamaged(String what) {
        String message = assertThrows(IOException.class, this::read, what).getMessage();
        assertTrue(message.contains("is damaged"), message);
        return message;
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            text.append("ab=\\\n\r\t ü雪#e".charAt(random.nextInt(12)));
        }
        return text.toString();
    }
}
