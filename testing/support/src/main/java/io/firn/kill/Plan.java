package io.firn.kill;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;

/**
 * What a child is told to do.
 *
 * @param seed of the contents
 * @param round of this child; with the seed it decides what is left open here
 * @param mode when it is to be killed
 * @param muted the lane that keeps one acknowledged window to itself, or −1
 * @param lanes where each lane stands
 */
record Plan(long seed, int round, Mode mode, int muted, List<Standing> lanes) {

    /** When the child is killed. */
    enum Mode {
        /** At a random moment while it appends. */
        APPENDING,
        /** Right after a roll. */
        ROLLED,
        /** When a batch whose acknowledgement was lost lies in a sealed segment. */
        SEALED_UNHEARD,
        /** While it opens the store. */
        OPENING,
        /** While it closes the store. */
        CLOSING
    }

    /**
     * A lane's next batch.
     *
     * @param producer its id; −1 when it has none yet
     * @param epoch the producer's
     * @param sequence of the next record
     * @param first the number of the next record in the lane
     */
    record Standing(long producer, int epoch, int sequence, long first) {
        static final Standing NEW = new Standing(-1, 0, 0, 0);

        Standing renewed(long newProducer, int newEpoch, int newSequence) {
            return new Standing(newProducer, newEpoch, newSequence, first);
        }

        Standing after(int records) {
            return new Standing(
                    producer, epoch, (sequence + records) & Integer.MAX_VALUE, first + records);
        }
    }

    void write(DataOutput out) throws IOException {
        out.writeLong(seed);
        out.writeInt(round);
        out.writeInt(mode.ordinal());
        out.writeInt(muted);
        for (Standing lane : lanes) {
            out.writeLong(lane.producer);
            out.writeInt(lane.epoch);
            out.writeInt(lane.sequence);
            out.writeLong(lane.first);
        }
    }

    static Plan read(DataInput in) throws IOException {
        long seed = in.readLong();
        int round = in.readInt();
        Mode mode = Mode.values()[in.readInt()];
        int muted = in.readInt();
        Standing[] lanes = new Standing[Lane.ALL.size()];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = new Standing(in.readLong(), in.readInt(), in.readInt(), in.readLong());
        }
        return new Plan(seed, round, mode, muted, List.of(lanes));
    }
}
