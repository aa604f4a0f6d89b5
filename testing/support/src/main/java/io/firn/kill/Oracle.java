package io.firn.kill;

import io.firn.Cursor;
import io.firn.Finding;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.OffsetOutOfRangeException;
import io.firn.Partition;
import io.firn.PartitionReader.PartitionMetrics;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.kill.Content.Place;
import io.firn.kill.Plan.Standing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the parent knows, and what must therefore be in the log: every acknowledged record once, in
 * its place, byte by byte; of what was sent and not acknowledged whole batches or nothing, in the
 * order of the lane; nothing else.
 */
final class Oracle {
    private final Content content;
    private final List<Standing> standings = new ArrayList<>();
    private final Map<String, Known> partitions = new TreeMap<>();
    private final long[] cursors = new long[Lane.ALL.size()];
    private final Set<Long> producers = new HashSet<>();
    private long ackedRecords;
    private long ackedBatches;
    private long repeated;

    Oracle(long seed) {
        content = new Content(seed);
        for (Lane lane : Lane.ALL) {
            standings.add(Standing.NEW);
            partitions.put(key(lane), new Known());
        }
        Arrays.fill(cursors, -1);
    }

    /** Something is not as it must be. */
    static final class Violation extends Exception {
        private static final long serialVersionUID = 1L;

        Violation(String message) {
            super(message);
        }
    }

    /** A partition: acknowledged batches by offset, and where its log may start. */
    private static final class Known {
        private final TreeMap<Long, Acked> acked = new TreeMap<>();
        private long deletedBefore;
        private long mayBeDeletedBefore;

        String around(Place place, long offset) {
            return "offset "
                    + offset
                    + ": "
                    + acked.floorEntry(offset)
                    + " and "
                    + acked.ceilingEntry(offset)
                    + "; of the batch: "
                    + acked.entrySet().stream()
                            .filter(e -> e.getValue().lane() == place.lane())
                            .filter(e -> e.getValue().first() == place.first())
                            .toList();
        }
    }

    private record Acked(int lane, long first, int count) {}

    List<Standing> standings() {
        return List.copyOf(standings);
    }

    long ackedRecords() {
        return ackedRecords;
    }

    long ackedBatches() {
        return ackedBatches;
    }

    /** Batches that were sent again although they had been stored. */
    long repeated() {
        return repeated;
    }

    // ---- what the child says

    void hear(Report report) throws Violation {
        switch (report.kind()) {
            case RENEWED -> onRenewed(report);
            case ACKED -> onAcked(report);
            case DELETING -> {
                Known known = known(report);
                known.mayBeDeletedBefore = Math.max(known.mayBeDeletedBefore, report.first());
            }
            case DELETED -> {
                Known known = known(report);
                known.deletedBefore = Math.max(known.deletedBefore, report.first());
            }
            case CURSOR -> cursors[report.lane()] = report.first();
            default -> {}
        }
    }

    private void onRenewed(Report report) throws Violation {
        Standing before = standings.get(report.lane());
        if (report.first() != before.producer() && !producers.add(report.first())) {
            throw new Violation("producer id " + report.first() + " was given twice");
        }
        standings.set(
                report.lane(),
                before.renewed(report.first(), (int) report.second(), (int) report.third()));
    }

    private void onAcked(Report report) throws Violation {
        Lane lane = Lane.ALL.get(report.lane());
        Standing standing = standings.get(lane.id());
        long first = report.first();
        long offset = report.second();
        int count = content.count(lane.id(), first);
        if (first != standing.first()) {
            throw new Violation(lane + ": acknowledged " + first + ", expected " + standing);
        }
        if ((int) report.third() != content.crcOf(lane.id(), first)) {
            throw new Violation(lane + ": parent and child make different contents of " + first);
        }
        Known known = known(report);
        Map.Entry<Long, Acked> before = known.acked.floorEntry(offset + count - 1);
        if (before != null && before.getKey() + before.getValue().count() > offset) {
            throw new Violation(
                    lane
                            + ": offset "
                            + offset
                            + " was acknowledged for "
                            + count
                            + " records from "
                            + first
                            + ", and before for "
                            + before);
        }
        known.acked.put(offset, new Acked(lane.id(), first, count));
        standings.set(lane.id(), standing.after(count));
        ackedBatches++;
        ackedRecords += count;
        repeated += report.number();
    }

    private Known known(Report report) {
        return partitions.get(key(Lane.ALL.get(report.lane())));
    }

    private static String key(Lane lane) {
        return lane.topic() + "-" + lane.partition();
    }

    // ---- what is there

    /** Compares the store with what is known, and forgets what retention may take. */
    void check(LogStore store) throws Violation {
        List<Finding> flaws = Flaws.of(store);
        if (!flaws.isEmpty()) {
            throw new Violation("found at open: " + flaws);
        }
        Set<String> seen = new HashSet<>();
        for (Lane lane : Lane.ALL) {
            Topic topic = lane.openTopic(store);
            if (seen.add(key(lane))) {
                checkUndisturbed(topic.partition(lane.partition()), partitions.get(key(lane)));
            }
            check(lane, topic.cursor(lane.cursor()), topic.partition(lane.partition()));
        }
    }

    /** Retention goes on while we read, and may take what comes next. */
    private void checkUndisturbed(Partition partition, Known known) throws Violation {
        while (true) {
            try {
                check(partition, known);
                return;
            } catch (OffsetOutOfRangeException e) {
                if (!partition.topic().name().equals(Lane.SHORT)) {
                    throw e;
                }
            }
        }
    }

    private void check(Partition partition, Known known) throws Violation {
        if (!partition.damage().isEmpty()) {
            throw new Violation(partition + ": damaged: " + partition.damage());
        }
        Tailer tailer = partition.openTailer();
        long start = tailer.offset();
        checkStart(partition, known, start);
        known.acked.headMap(start, false).values().removeIf(acked -> true);
        long expected = expectedFrom(known, start);
        Reading reading = new Reading(partition, known, start);
        int polled = 1;
        while (polled > 0 && reading.wrong == null) {
            polled = tailer.poll(reading::onRecord, 1_000);
        }
        tailer.close();
        reading.finish();
        if (reading.wrong != null) {
            throw new Violation(partition + ": " + reading.wrong);
        }
        if (reading.acked < expected) {
            throw new Violation(
                    partition
                            + ": of "
                            + expected
                            + " acknowledged records from offset "
                            + start
                            + " only "
                            + reading.acked
                            + " are there, up to offset "
                            + reading.next);
        }
    }

    private static void checkStart(Partition partition, Known known, long start) throws Violation {
        PartitionMetrics metrics = partition.metrics();
        if (partition.topic().name().equals(Lane.SHORT)) {
            if (start > 0
                    && metrics.bytes()
                            < partition.topic().options().retentionBytes().orElseThrow()) {
                throw new Violation(partition + ": retention left too little: " + metrics);
            }
            known.deletedBefore = start;
            return;
        }
        if (start < known.deletedBefore || start > known.mayBeDeletedBefore) {
            throw new Violation(
                    partition
                            + ": starts at "
                            + start
                            + ", expected from "
                            + known.deletedBefore
                            + " to "
                            + known.mayBeDeletedBefore);
        }
        known.deletedBefore = start;
        known.mayBeDeletedBefore = start;
    }

    /** Acknowledged records that must be there; what straddles the start was cut from the map. */
    private static long expectedFrom(Known known, long start) {
        long records = 0;
        for (Map.Entry<Long, Acked> e : known.acked.tailMap(start).entrySet()) {
            records += e.getValue().count();
        }
        return records;
    }

    private void check(Lane lane, Cursor cursor, Partition partition) throws Violation {
        long at = cursor.offset(lane.partition());
        if (at < cursors[lane.id()] || at > partition.durableOffset()) {
            throw new Violation(
                    lane
                            + ": its cursor stands at "
                            + at
                            + ", forced at "
                            + cursors[lane.id()]
                            + ", durable up to "
                            + partition.durableOffset());
        }
    }

    /** One pass over a partition. */
    private final class Reading {
        private final Partition partition;
        private final Known known;
        private final Place[] last = new Place[Lane.ALL.size()];
        private final long[] unheard = new long[Lane.ALL.size()];
        private long next;
        private long acked;
        private String wrong;

        Reading(Partition partition, Known known, long start) {
            this.partition = partition;
            this.known = known;
            this.next = start;
        }

        Action onRecord(LogRecord record) {
            wrong = check(record);
            return wrong == null ? Action.CONTINUE : Action.STOP;
        }

        private String check(LogRecord record) {
            String where = "offset " + record.offset() + ": ";
            if (record.offset() != next) {
                return where + "comes where " + next + " is expected";
            }
            next++;
            Place place = Content.placeOf(record);
            if (place == null || place.lane() < 0 || place.lane() >= last.length) {
                return where + "nobody wrote this record, " + place;
            }
            String differs = content.difference(record, place);
            if (differs != null) {
                return where + place + ": " + differs + " is not what was written";
            }
            String disorder = checkOrder(place);
            last[place.lane()] = place;
            return disorder == null ? checkAcked(record.offset(), place) : where + disorder;
        }

        private String checkOrder(Place place) {
            Place before = last[place.lane()];
            int records = content.count(place.lane(), place.first());
            boolean inBatch = place.index() >= 0 && place.index() < records;
            if (before == null || !inBatch) {
                return inBatch ? null : place + " is in no batch";
            }
            boolean ended = before.index() + 1 == content.count(before.lane(), before.first());
            Place expected =
                    ended
                            ? new Place(before.lane(), before.first() + before.index() + 1, 0)
                            : new Place(before.lane(), before.first(), before.index() + 1);
            return place.equals(expected) ? null : place + " follows " + before;
        }

        private String checkAcked(long offset, Place place) {
            Standing standing = standings.get(place.lane());
            boolean heard = place.first() < standing.first();
            Map.Entry<Long, Acked> entry = known.acked.floorEntry(offset);
            boolean found = entry != null && entry.getKey() + entry.getValue().count() > offset;
            if (found) {
                Acked there = entry.getValue();
                boolean same =
                        there.lane() == place.lane()
                                && there.first() == place.first()
                                && offset - entry.getKey() == place.index();
                acked++;
                return same ? null : "offset " + offset + " holds " + place + ", not " + entry;
            }
            if (heard && offset - place.index() >= known.deletedBefore) {
                return place + " was acknowledged elsewhere, around " + known.around(place, offset);
            }
            if (!heard && place.index() == 0 && ++unheard[place.lane()] > 5) {
                return place + " was never sent, by " + standing;
            }
            return null;
        }

        void finish() {
            for (Place place : last) {
                if (wrong == null
                        && place != null
                        && place.index() + 1 != content.count(place.lane(), place.first())) {
                    wrong = place + " is the last of its batch that is there";
                }
            }
            if (wrong == null && next != partition.nextOffset()) {
                wrong = "reads to " + next + ", ends at " + partition.nextOffset();
            }
        }
    }
}
