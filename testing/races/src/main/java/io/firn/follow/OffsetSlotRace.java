package io.firn.follow;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * A reader of what a writer publishes for other processes sees an end with the bytes below it, and
 * takes the end of one segment never for that of the next. Both sides have a buffer of their own,
 * as two mappings of one file.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "nothing visible, or the bytes changes")
@Outcome(id = "1, 7", expect = Expect.ACCEPTABLE, desc = "the end of the first segment")
@Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "the second segment, still empty")
@Outcome(id = "2, 9", expect = Expect.ACCEPTABLE, desc = "the end of the second segment")
@Outcome(expect = Expect.FORBIDDEN, desc = "an end without its bytes, or of another segment")
@State
public class OffsetSlotRace {
    private static final int LENGTH = 64;

    private final ByteBuffer first = ByteBuffer.allocateDirect(LENGTH);
    private final ByteBuffer second = ByteBuffer.allocateDirect(2 * LENGTH);
    private final ByteBuffer bytes = aligned(PublishedOffsetsFormat.SLOT_BYTES);
    private final OffsetSlot published = new OffsetSlot(null, bytes, 0);
    private final FollowedOffsets seen =
            new FollowedOffsets(null, bytes.duplicate().order(ByteOrder.BIG_ENDIAN), 0, null);

    private static ByteBuffer aligned(int bytes) {
        return ByteBuffer.allocateDirect(bytes + Long.BYTES).alignedSlice(Long.BYTES);
    }

    /** The writer. */
    @Actor
    public void append() {
        first.putLong(0, 7);
        published.end(LENGTH);
        published.begin(2, 2, 0, LENGTH);
        second.putLong(LENGTH, 9);
        published.end(2 * LENGTH);
    }

    /** A reader. */
    @Actor
    public void poll(JJ_Result result) {
        FollowedOffsets.Published read = seen.readSlot();
        if (read == null) {
            return;
        }
        int position = read.position();
        if (read.base() == 0) {
            result.r1 = position == 0 ? 0 : position == LENGTH ? 1 : -1;
            result.r2 = position == 0 ? 0 : first.getLong(0);
        } else {
            result.r1 = position == 0 || position == 2 * LENGTH ? 2 : -2;
            result.r2 = position == 0 ? 0 : second.getLong(LENGTH);
        }
    }
}
