package io.firn.forward;

import io.firn.OffsetOutOfRangeException;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.forward.ForwardException.Reason;
import io.firn.forward.cluster.OutgoingRecord;
import io.firn.forward.cluster.Position;
import java.util.Optional;

/**
 * Finds where a partition goes on. The position in the cluster is the truth, because it moves with
 * the records or not at all. The cursor here is behind it, or equal; so what contradicts it shows
 * that one of the two was lost or replaced.
 */
final class StartPosition {
    private final SourcePartition source;
    private final Position found;

    /**
     * Creates it.
     *
     * @param found the position in the cluster; null if there is none
     */
    StartPosition(SourcePartition source, Position found) {
        this.source = source;
        this.found = found;
    }

    /** Returns why the position cannot be used; empty if it can, or nothing was forwarded yet. */
    Optional<ForwardException> contradiction() {
        long cursor = source.cursorOffset();
        if (found == null) {
            return cursor <= 0
                    ? Optional.empty()
                    : Optional.of(
                            lost(
                                    "has no position",
                                    "its group's offsets have expired or were deleted, the topic"
                                            + " was created again, or it is another cluster"));
        }
        if (found.offset() < cursor) {
            return Optional.of(
                    lost(
                            "has position " + found.offset(),
                            "it has lost what it had committed, or the position was set back"));
        }
        if (!found.isOwn()) {
            return aboveEnd();
        }
        if (!found.target().equals(source.target().id())) {
            return Optional.of(targetReplaced());
        }
        if (!found.source().equals(source.topicId())) {
            return Optional.of(
                    storeReplaced(
                            "is of the topic with id "
                                    + found.source()
                                    + ", here it has id "
                                    + source.topicId()));
        }
        Optional<ForwardException> above = aboveEnd();
        return above.isPresent() ? above : otherRecord();
    }

    private Optional<ForwardException> aboveEnd() {
        long end = source.partition().nextOffset();
        return found.offset() <= end
                ? Optional.empty()
                : Optional.of(storeReplaced("is above the end of the log here, " + end));
    }

    /** The last record that was forwarded must be the same one, if it is still here. */
    private Optional<ForwardException> otherRecord() {
        if (found.last() < source.partition().logStartOffset()) {
            return Optional.empty();
        }
        int[] checksum = new int[1];
        boolean[] isThere = new boolean[1];
        try (Tailer tailer = source.partition().openTailer()) {
            tailer.seek(found.last());
            tailer.poll(
                    record -> {
                        isThere[0] = record.offset() == found.last();
                        checksum[0] = OutgoingRecord.copyOf(record, 0).checksum();
                        return Action.STOP;
                    },
                    1);
        } catch (OffsetOutOfRangeException e) {
            return Optional.empty(); // it was deleted meanwhile
        }
        return !isThere[0] || checksum[0] == found.checksum()
                ? Optional.empty() // it was compacted away, or is the same
                : Optional.of(
                        storeReplaced(
                                "was committed after a record "
                                        + found.last()
                                        + " with another content than the one here"));
    }

    private ForwardException lost(String what, String why) {
        return new ForwardException(
                Reason.POSITION_LOST,
                source
                        + " was forwarded up to offset "
                        + source.cursorOffset()
                        + " or more, but the cluster "
                        + what
                        + " for "
                        + source.key()
                        + ": "
                        + why
                        + "; "
                        + choices());
    }

    private ForwardException storeReplaced(String what) {
        return new ForwardException(
                Reason.STORE_REPLACED,
                "the position in the cluster for "
                        + source.key()
                        + ", "
                        + found.offset()
                        + ", is not one of "
                        + source
                        + ": it "
                        + what
                        + "; the store was replaced, or restored from an older backup, or another"
                        + " store forwards under the same name; choose another name, or "
                        + choices());
    }

    private ForwardException targetReplaced() {
        return new ForwardException(
                Reason.TARGET_REPLACED,
                source
                        + " was forwarded to a topic "
                        + source.target().name()
                        + " with id "
                        + found.target()
                        + ", which has id "
                        + source.target().id()
                        + " now: it was created again, or it is another cluster; "
                        + choices());
    }

    private static String choices() {
        return "choose OnLostPosition.FROM_CURSOR, which may send records twice";
    }

    /** Returns where to begin if nothing contradicts it. */
    Position start() {
        if (found != null) {
            return found;
        }
        return Position.of(source.firstOffset());
    }

    /** Returns the position of the cursor, or the nearest one that the log has. */
    Position fromCursor() {
        long start = source.partition().logStartOffset();
        return Position.of(
                Math.min(
                        Math.max(source.cursorOffset(), start),
                        source.partition().durableOffset()));
    }
}
