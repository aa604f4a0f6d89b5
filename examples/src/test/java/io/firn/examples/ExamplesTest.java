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
        assertEquals(List.of("first"), printed(() -> runFirstScreen()));
        assertEquals(List.of("first", "first"), printed(() -> runFirstScreen()));
    }

    @Test
    void shouldBillOnlyWhatIsNewInASecondRun() throws Exception {
        assertEquals(
                List.of(
                        "Stored at offset 0: 3 apples",
                        "Stored at offset 1: 5 pears",
                        "Bill 3 apples",
                        "Bill 5 pears",
                        "Billed: 2"),
                printed(() -> GettingStarted.main(new String[] {dir.toString()})));
        assertEquals(
                List.of(
                        "Stored at offset 2: 3 apples",
                        "Stored at offset 3: 5 pears",
                        "Bill 3 apples",
                        "Bill 5 pears",
                        "Billed: 2"),
                printed(() -> GettingStarted.main(new String[] {dir.toString()})));
    }

    @Test
    void shouldAppendInFiveWays() throws Exception {
        assertEquals(
                List.of(
                        "The first record has offset 0",
                        "The batch has offsets 2 to 3",
                        "Same partition: true",
                        "Durable below offset 1",
                        "Claimed, then committed: 1"),
                lines(Appending::run));
    }

    @Test
    void shouldReadByPollAsCopiesAndInALoop() throws Exception {
        assertEquals(
                List.of(
                        "0: 0 m",
                        "1: 10 m",
                        "Handled 2, next offset 2",
                        "Copy: 40 m",
                        "Copy: 50 m",
                        "The last one: 5",
                        "The loop has read all."),
                lines(Reading::run));
    }

    @Test
    void shouldReadWhatAKafkaClientProduced() throws Exception {
        assertEquals(List.of("Read: 3 blocks"), lines(KafkaClients::run));
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
    void shouldForwardADayToAClusterThatComesBack() throws Exception {
        assertEquals(
                List.of(
                        "The cluster has the first reading.",
                        "A day without the cluster; to be forwarded: 1440",
                        "Forwarded: 1441"),
                lines(OfflinePlant::run));
    }

    @Test
    void shouldRestoreTheBackupOfAnOpenStore() throws Exception {
        assertEquals(
                List.of(
                        "Backed up: [orders-0 from 0 to 1]",
                        "Verified: 76 bytes",
                        "Restored up to offset 1"),
                lines(Backups::run));
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
                        "Billing order 5",
                        "billing: 0"),
                lines(Cursors::run));
    }

    @Test
    void shouldAnswerAllRequestsWithFewerForces() throws Exception {
        List<String> lines = lines(RequestPipeline::run);
        assertEquals("Answered 10000 requests, all of them durable.", lines.get(0));
        int forces = Integer.parseInt(lines.get(1).replaceAll("\\D", ""));
        assertTrue(forces > 0 && forces <= 10_000, lines.get(1));
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
    void shouldTailInASecondProcess() throws Exception {
        assertEquals(
                List.of(
                        "The follower reads: first snow",
                        "The follower reads: more snow",
                        "The follower reads: the end",
                        "The follower ended with 0."),
                lines(Follower::run));
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
                lines(Transfer::run));
    }

    @Test
    void shouldMoveSegmentsAsAnOwnPolicySays() throws Exception {
        assertEquals(
                List.of(
                        "audit-2026 is in [cold, cold, hot, hot]",
                        "orders is in [hot, hot, hot, hot]",
                        "Read 19 records of audit-2026.",
                        "The first segment of orders: MOVED",
                        "orders is in [cold, hot, hot, hot]"),
                lines(Tiers::run));
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
