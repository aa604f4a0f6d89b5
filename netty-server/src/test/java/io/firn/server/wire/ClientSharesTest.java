package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Memory that clients share. */
class ClientSharesTest {
    private final ClientShares shares = new ClientShares(100);

    @Test
    void shouldGiveOneClientHalfAndLeaveTheRestToOthers() {
        assertTrue(shares.tryAdd("a", 50));
        assertFalse(shares.tryAdd("a", 1));
        assertTrue(shares.tryAdd("b", 50));
        assertFalse(shares.tryAdd("c", 1));
        shares.add("a", -50);
        assertTrue(shares.tryAdd("c", 50));
        assertEquals(100, shares.usedBytes());
    }

    @Test
    void shouldMakeOnlyThoseWaitWhoUseTooMuch() {
        shares.add("a", 70);
        assertTrue(shares.isExceeded("a", 0));
        assertFalse(shares.isExceeded("a", 30)); // what a client is about to answer
        assertFalse(shares.isExceeded("b", 0));
        shares.add("b", 40);
        assertTrue(shares.isExceeded("b", 0)); // all together
        assertFalse(shares.isExceeded("c", 0)); // it uses nothing
        shares.add("c", 6);
        assertFalse(shares.isExceeded("c", 0)); // it uses little
        shares.add("c", 1);
        assertTrue(shares.isExceeded("c", 0));
        assertFalse(shares.isExceeded("c", 1));
    }
}
