package io.firn.bench.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class SelectionTest {
    @Test
    void shouldSelectAllWithoutNames() {
        Selection all = Selection.of(List.of());
        assertEquals(EnumSet.allOf(Scenario.class), all.scenarios());
        assertEquals(EnumSet.allOf(Peer.class), all.peers());
    }

    @Test
    void shouldSelectBothKindsOfPagesByTheBeginningOfTheirNames() {
        assertEquals(
                EnumSet.of(Scenario.APPEND_FRESH, Scenario.APPEND_TOUCHED),
                Selection.of(List.of("append")).scenarios());
    }

    @Test
    void shouldSelectSystemsAndContenders() {
        assertEquals(
                EnumSet.of(Peer.AERON_ARCHIVE, Peer.AERON_ARCHIVE_SYNC, Peer.FIRN_CLAIM),
                Selection.of(List.of("aeron", "firn-claim", "replay")).peers());
    }

    @Test
    void shouldAcceptANameTwice() {
        assertEquals(
                EnumSet.of(Peer.FIRN_CLAIM),
                Selection.of(List.of("firn-claim", "firn-claim")).peers());
    }

    @Test
    void shouldNameWhatIsUnknownAndWhatIsKnown() {
        IllegalArgumentException e =
                assertThrows(
                        IllegalArgumentException.class, () -> Selection.of(List.of("cronicle")));
        assertTrue(e.getMessage().contains("unknown: cronicle"), e.getMessage());
        assertTrue(e.getMessage().contains("chronicle-bytes"), e.getMessage());
    }
}
