package io.firn.compact;

import io.firn.PartitionReader.CompactionResult;
import io.firn.log.SegmentedLog;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A compaction of a partition. */
@Name("io.firn.Compaction")
@Label("Compaction")
@Category("Firn")
@StackTrace(false)
final class CompactionEvent extends Event {
    @Label("Partition")
    String partition;

    @Label("Bytes before")
    @DataAmount
    long bytesBefore;

    @Label("Bytes after")
    @DataAmount
    long bytesAfter;

    @Label("Keys in the dirty part")
    long keys;

    @Label("Removed records")
    long removedRecords;

    @Label("Skipped segments")
    int skipped;

    void end(SegmentedLog log, CompactionResult result) {
        if (shouldCommit()) {
            partition = log.toString();
            bytesBefore = result.bytesBefore();
            bytesAfter = result.bytesAfter();
            keys = result.keys();
            removedRecords = result.removedRecords();
            skipped = result.skipped().size();
            commit();
        }
    }
}
