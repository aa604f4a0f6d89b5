package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExamplesTest {
    @TempDir private Path dir;

    /** An example's work. */
    @FunctionalInterface
    private interface Example {
        void run(Path dir, PrintStream out) throws Exception;
    }

    @Test
    void shouldShowTheFirstScreenEachTimeWithOneRecordMore() throws Exception {
        assertEquals(List.of("0: first"), printed(() -> runFirstScreen()));
        assertEquals(List.of("0: first", "1: first"), printed(() -> runFirstScreen()));
    }

    @Test
    void shouldRefuseADecisionThatWasTakenOnOldEvents() throws Exception {
        assertEquals(
                List.of(
                        "Both know of a balance of 100, and both take out 80.",
                        "Bob is refused: expected the next offset to be 1, found 2: other records"
                                + " were appended in between; wait until they are durable"
                                + " (awaitDurable), read up to the next offset, and decide again",
                        "Bob looks again: there are only 20 left."),
                lines(EventSourcing::run));
    }

    @Test
    void shouldKeepOnlyTheLatestPrices() throws Exception {
        List<String> lines = lines(LatestPrices::run);
        assertTrue(lines.get(0).matches("Of 30001 records, [0-9]{1,4} are left."), lines.get(0));
        assertEquals("The latest prices: {ICE=30098, SNOW=30099}", lines.get(1));
    }

    @Test
    void shouldRebuildTheBookFromACopyWhenTheClusterIsGone() throws Exception {
        assertEquals(
                List.of(
                        "Copied: 20000",
                        "The cluster is gone.",
                        "Best bid: 99=49118, best ask: 101=48232"),
                lines(ShadowedOrders::run));
    }

    @Test
    void shouldGoOnAtTheCursorAfterARestart() throws Exception {
        assertEquals(
                List.of(
                        "Billing order 1",
                        "Billing order 2",
                        "Billing order 3",
                        "Closed, and opened again.",
                        "Billing order 4",
                        "Billing order 5"),
                lines(ConsumerGroupLike::run));
    }

    @Test
    void shouldAnswerAllRequestsWithFewerForces() throws Exception {
        List<String> lines = lines(RequestPipeline::run);
        assertEquals("Answered 10000 requests, all of them durable.", lines.get(0));
        int forces = Integer.parseInt(lines.get(1).replaceAll("\\D", ""));
        assertTrue(forces > 0 && forces <= 10_000, lines.get(1));
    }

    @Test
    void shouldReadAFixedLayoutAsItWasClaimed() throws Exception {
        assertEquals(
                List.of("Offset 0: sensor 1 reads -10.5", "Offset 1: sensor 3 reads -31.5"),
                lines(ClaimExample::run));
    }

    @Test
    void shouldBuildABookInASecondProcessFromTheCallsThatWereWritten() throws Exception {
        assertEquals(
                List.of(
                        "Calls read: 5",
                        "120 at 99.5",
                        "10 at 100.25",
                        "The book's process ended with 0."),
                lines(OrderBook::run));
    }

    @Test
    void shouldReadSbeMessagesAsTheyWereClaimed() throws Exception {
        assertEquals(
                List.of("32 bytes: BUY 815 at 1.0842, XETRA", "30 bytes: SELL 4711 at 99.5, LSE"),
                lines(SbeClaim::run));
    }

    @Test
    void shouldKeepRecordsOfOneKeyInOrderInOnePartition() throws Exception {
        List<String> lines = lines(MultiPartition::run);
        List<String> went =
                List.of(
                        "Fram went to partition 2",
                        "Gauss went to partition 0",
                        "Endurance went to partition 1");
        assertEquals(went, lines.subList(0, 3));
        assertEquals(went, lines.subList(3, 6));
        assertEquals(
                List.of(
                        "Read from partition 2: Fram, step 1",
                        "Read from partition 2: Fram, step 2"),
                lines.stream().filter(line -> line.contains("Fram, ")).toList());
        assertEquals(12, lines.size());
    }

    @Test
    void shouldTailInASecondProcess() throws Exception {
        assertEquals(
                List.of(
                        "The follower reads: first snow",
                        "The follower reads: more snow",
                        "The follower reads: the end",
                        "The follower ended with 0."),
                lines(ReadOnlyFollower::run));
    }

    @Test
    void shouldReadEachRecordInTheOtherProcess() throws Exception {
        List<String> lines = lines(TwoProcesses::run);
        assertEquals("Records read in the other process: 2000", lines.get(0));
        assertTrue(lines.get(1).matches("From append to read, median: .+, 99 %: .+"), lines.get(1));
        assertEquals(List.of("The reader ended with 0."), lines.subList(2, lines.size()));
    }

    @Test
    void shouldStoreARetriedBatchOnce() throws Exception {
        List<String> lines = lines(IdempotentRetry::run);
        assertEquals(
                List.of(
                        "Appended at offset 0",
                        "Again, at offset 0",
                        "Closed, and opened again.",
                        "Again, at offset 0",
                        "Records in the log: 2"),
                lines.subList(0, 5));
        assertTrue(lines.get(5).contains("expected sequence 2, found 7"), lines.get(5));
        assertTrue(lines.get(6).contains("epoch 0 is older than 1"), lines.get(6));
    }

    @Test
    void shouldCarryOutEachTransferOnceAndWhole() throws Exception {
        assertEquals(
                List.of(
                        "Request 0 is carried out: 100",
                        "Closed, and opened again.",
                        "Request 1 is refused: 250 is too much.",
                        "Request 2 is carried out: -30",
                        "Balances: -70 and 70"),
                lines(TransferBetweenPartitions::run));
    }

    @Test
    void shouldSendAMessageOfEachOrderThatWasTakenAndOfNoOther() throws Exception {
        assertEquals(
                List.of(
                        "Nobody wants rain.",
                        "Sent: sold: ice",
                        "Closed, and opened again.",
                        "Sent: sold: snow"),
                lines(Outbox::run));
    }

    @Test
    void shouldMoveSegmentsAsAnOwnPolicySays() throws Exception {
        assertEquals(
                List.of(
                        "audit-2026 lies in [cold, cold, hot, hot]",
                        "orders lies in [hot, hot, hot, hot]",
                        "Read 19 records of audit-2026.",
                        "The first segment of orders: MOVED",
                        "orders lies in [cold, hot, hot, hot]"),
                lines(OwnMigrationPolicy::run));
    }

    @Test
    void shouldDoAllWorkInTheCallersLoop() throws Exception {
        assertEquals(
                List.of("Appended, forced and read 1000 records.", "Threads of the log: 0."),
                lines(EmbeddedAgent::run));
    }

    private void runFirstScreen() {
        FirstScreen.main(new String[] {dir.toString()});
    }

    private List<String> lines(Example example) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, true, UTF_8)) {
            example.run(dir, out);
        }
        return bytes.toString(UTF_8).lines().toList();
    }

    /** What the action prints on the standard output. */
    private List<String> printed(Runnable action) throws Exception {
        PrintStream before = System.out;
        try {
            return lines(
                    (unused, out) -> {
                        System.setOut(out);
                        action.run();
                    });
        } finally {
            System.setOut(before);
        }
    }
}
