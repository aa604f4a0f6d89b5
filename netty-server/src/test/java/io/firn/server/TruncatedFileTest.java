package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file of the log that somebody else truncated while a response is sent from it. */
class TruncatedFileTest {
    private static final String TOPIC = "orders";
    private static final String NOT_SENT = "connection closed: a response could not be sent";

    @TempDir Path directory;
    private final Logged logged = new Logged("io.firn.server");

    @AfterEach
    void close() {
        logged.close();
    }

    private Running start() throws Exception {
        Running running = new Running(directory, Map.of());
        running.createTopic(TOPIC, 1, Map.of());
        return running;
    }

    private static void append(Running running, int bytes) throws IOException {
        try (Wire wire = new Wire(running.server())) {
            var produced = Asks.produced(wire, TOPIC, 0, Asks.ALL, Asks.batch(new byte[bytes]));
            assertEquals(0, produced.errorCode());
        }
    }

    /** Returns the file that has the records; the next one may be there already. */
    private Path log() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(TruncatedFileTest::hasRecords).findFirst().orElseThrow();
        }
    }

    private static boolean hasRecords(Path file) {
        if (!file.toString().endsWith(".active")) {
            return false;
        }
        try (FileChannel open = FileChannel.open(file)) {
            ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
            return open.read(length, 8) == Integer.BYTES && length.getInt(0) > 10_000;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Takes the end of the file away, fetches from it, and gives it back. */
    private void fetchTruncated(Running running, Path file, int bytes) throws IOException {
        byte[] whole = Files.readAllBytes(file);
        try (Wire wire = new Wire(running.server());
                FileChannel open = FileChannel.open(file, StandardOpenOption.WRITE)) {
            open.truncate(bytes);
            fetch(wire);
            assertTrue(wire.isClosedByServer());
            checkTold(file);
            open.write(ByteBuffer.wrap(whole, bytes, whole.length - bytes), bytes);
        }
    }

    private static void fetch(Wire wire) throws IOException {
        var request = Asks.fetch(TOPIC, 0, 0, 2 << 20);
        wire.send(Wire.request(ApiKeys.FETCH, (short) Asks.FETCH, request));
    }

    private void checkTold(Path file) {
        Running.await("a line in the log", () -> logged.has(NOT_SENT));
        assertEquals(1, logged.count(NOT_SENT));
        for (String part : List.of("127.0.0.1", TOPIC + "-0", "position 0", file.toString())) {
            assertTrue(logged.has(part), part);
        }
    }

    @Test
    void shouldSayWhichFileIsShortWhenTheSystemCannotSendIt() throws Exception {
        try (Running running = start()) {
            append(running, 500_000);
            fetchTruncated(running, log(), 100_000);
            assertTrue(logged.has("whose file has 100000 bytes"));
        }
    }

    @Test
    void shouldSayWhichFileIsShortWhenItCannotBeReadFromItsMapping() throws Exception {
        try (Running running = start()) {
            append(running, 50_000);
            fetchTruncated(running, log(), 20_000);
            assertTrue(logged.has("whose file has 20000 bytes"));
        }
    }

    /** Its pages are read in the background first, where Java tells late that they are lost. */
    @ParameterizedTest
    @ValueSource(ints = {50_000, 400_000})
    void shouldEndTheConnectionWhenTheFileOfASealedSegmentIsShort(int bytes) throws Exception {
        String segmentBytes = Integer.toString(Math.max(65_536, bytes + 1_000));
        try (Running running = new Running(directory, Map.of("log.segment.bytes", segmentBytes))) {
            running.createTopic(TOPIC, 1, Map.of());
            append(running, bytes);
            append(running, bytes);
            List<Path> sealed = new ArrayList<>();
            Running.await("the seal", () -> sealed.addAll(firstSealed()));
            fetchTruncated(running, sealed.get(0), 20_000);
        }
    }

    private List<Path> firstSealed() {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(file -> file.endsWith("0/00000000000000000000.log")).toList();
        } catch (IOException | UncheckedIOException e) {
            return List.of(); // it was renamed meanwhile
        }
    }

    @Test
    void shouldSayNothingWhenTheClientHasGone() throws Exception {
        try (Running running = start()) {
            append(running, 900_000);
            Wire wire = new Wire(running.server());
            for (int i = 0; i < 30; i++) {
                fetch(wire); // more than the socket takes
            }
            Running.await("some of it to come", () -> available(wire) > 0);
            wire.cut();
            Running.await("its end", () -> running.server().metrics().getConnections() == 0);
            assertFalse(logged.has("connection closed"));
        }
    }

    private static int available(Wire wire) {
        try {
            return wire.available();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
