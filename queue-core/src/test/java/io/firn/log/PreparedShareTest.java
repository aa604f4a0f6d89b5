package io.firn.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Many partitions prepare little each. */
class PreparedShareTest {
    private static final int MIB = 1 << 20;

    @Test
    void shouldGiveEachPartitionLessTheMoreThereAre() {
        LogContext.PreparedShare share = new LogContext.PreparedShare();
        assertEquals(64 * MIB, share.ofEach());
        enter(share, 16);
        assertEquals(64 * MIB, share.ofEach());
        enter(share, 16);
        assertEquals(32 * MIB, share.ofEach());
        enter(share, 968);
        assertEquals((1 << 30) / 1000, share.ofEach());
        enter(share, 4_000);
        assertEquals(MIB, share.ofEach());
        for (int i = 0; i < 5_000; i++) {
            share.leave();
        }
        assertEquals(64 * MIB, share.ofEach());
    }

    private static void enter(LogContext.PreparedShare share, int times) {
        for (int i = 0; i < times; i++) {
            share.enter();
        }
    }
}
