package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.server.Ledger.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether {@code bin/check kill --transactions} would notice. */
class LedgerTest {
    private final Ledger ledger = new Ledger();
    private final List<List<Row>> log = List.of(new ArrayList<>(), new ArrayList<>());

    @BeforeEach
    void write() {
        say("1 client w.0.0", "2 begin w.0.0:0 2", "3 commit w.0.0:0 0 10", "4 committed w.0.0:0");
        say("5 begin w.0.0:1 1", "6 begin v.0.0:0 2", "7 commit v.0.0:0 1 20");
        say("8 begin w.0.0:2 3", "9 commit w.0.0:2 0 12", "10 committed w.0.0:2");
        log.get(0).add(new Row(10, "w.0.0:0:0"));
        log.get(1).add(new Row(10, "w.0.0:0:1"));
        log.get(0).add(new Row(12, "w.0.0:2:0"));
        log.get(0).add(new Row(13, "w.0.0:2:1"));
        log.get(1).add(new Row(12, "w.0.0:2:2"));
    }

    private void say(String... lines) {
        for (String each : lines) {
            ledger.note(each);
        }
    }

    private void assertRefused(String why, Map<Integer, Long> offsets) {
        String refusal =
                assertThrows(IllegalStateException.class, () -> ledger.check(log, offsets))
                        .getMessage();
        assertTrue(refusal.contains(why), refusal);
    }

    private void assertRefused(String why) {
        assertRefused(why, Map.of(0, 12L));
    }

    @Test
    void shouldAgreeWithALogOfWhatWasCommitted() {
        assertEquals(
                "2 committed, 1 aborted, 1 unknown of which 0 are there, by 1 clients;"
                        + " 1 offsets compared",
                ledger.check(log, Map.of(0, 12L)));
    }

    @Test
    void shouldTakeAnUnknownTransactionIfItIsWhole() {
        log.get(1).add(new Row(20, "v.0.0:0:0"));
        assertRefused("v.0.0:0 is UNKNOWN, and 1 of its 2 records are there");
        log.get(0).add(new Row(20, "v.0.0:0:1"));
        String seen = ledger.check(log, Map.of(0, 12L, 1, 20L));
        assertTrue(seen.contains("1 unknown of which 1 are there"), seen);
    }

    @Test
    void shouldMissACommittedRecord() {
        log.get(1).remove(1);
        assertRefused("w.0.0:2 is COMMITTED, and 2 of its 3");
    }

    @Test
    void shouldFindAnAbortedRecord() {
        log.get(1).add(new Row(30, "w.0.0:1:0"));
        assertRefused("w.0.0:1 is ABORTED, and 1 of its 1");
    }

    @Test
    void shouldFindARecordTwiceInAPartitionOrInTwo() {
        log.get(1).add(new Row(30, "w.0.0:2:2"));
        assertRefused("is there after number 2");
        log.get(1).remove(2);
        log.get(1).add(new Row(30, "w.0.0:0:0"));
        assertRefused("is there after number 1");
        log.get(1).remove(2);
        log.get(1).add(0, new Row(1, "w.0.0:0:0"));
        assertRefused("is in another partition, too");
    }

    @Test
    void shouldFindARecordThatNobodyWrote() {
        log.get(1).add(new Row(30, "w.0.0:9:0"));
        assertRefused("was never written");
    }

    @Test
    void shouldFindTransactionsInTheWrongOrder() {
        log.get(0).add(log.get(0).remove(0));
        assertRefused("w.0.0:2 is before w.0.0:0, which had ended when it began");
    }

    @Test
    void shouldFindAnOffsetThatIsNotThatOfTheLastTransaction() {
        assertRefused("the offsets of the group", Map.of(0, 10L));
        assertRefused("the offsets of the group", Map.of());
        assertRefused("the offsets of the group", Map.of(0, 12L, 1, 20L));
    }

    @Test
    void shouldFindWhatAReaderSawAndIsNotThere() {
        List<Row> seen = new ArrayList<>(log.get(0).subList(0, 2));
        Ledger.checkSeen(0, seen, log.get(0));
        seen.add(new Row(14, "w.0.0:2:1"));
        assertThrows(IllegalStateException.class, () -> Ledger.checkSeen(0, seen, log.get(0)));
        seen.remove(2);
        seen.remove(0); // it skipped one
        assertThrows(IllegalStateException.class, () -> Ledger.checkSeen(0, seen, log.get(0)));
    }
}
