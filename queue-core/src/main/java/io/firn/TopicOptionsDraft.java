package io.firn;

import java.util.List;

/** The options of a topic while they are being chosen, unchecked. */
final class TopicOptionsDraft {
    int partitions = 1;
    Durability durability = Durability.DURABLE;
    int segmentBytes = 64 * TopicOptions.KIB * TopicOptions.KIB;
    long rollMs = TopicOptions.UNLIMITED;
    long retentionBytes = TopicOptions.UNLIMITED;
    long retentionMs = TopicOptions.UNLIMITED;
    int maxRecordBytes = TopicOptions.KIB * TopicOptions.KIB;
    Compression compression = Compression.NONE;
    int forceBytes = TopicOptions.KIB * TopicOptions.KIB;
    long forceMs = 100;
    DurabilityClass minimumClass;
    List<String> tiers = List.of();
    RetainUntilRead retainUntilRead = RetainUntilRead.nobody();
    int preparedBytes;
    CompactionValues compaction = CompactionValues.DEFAULTS;
    boolean replicated;

    /** Creates the defaults. */
    TopicOptionsDraft() {}

    /** Creates a copy. */
    TopicOptionsDraft(TopicOptions from) {
        partitions = from.partitions();
        durability = from.durability();
        segmentBytes = from.segmentBytes();
        rollMs = from.rollMs();
        retentionBytes = from.retentionBytes();
        retentionMs = from.retentionMs();
        maxRecordBytes = from.maxRecordBytes();
        compression = from.compression();
        forceBytes = from.forceBytes();
        forceMs = from.forceMs();
        minimumClass = from.minimumClass();
        tiers = from.tiers();
        retainUntilRead = from.retainUntilRead();
        preparedBytes = from.preparedBytes();
        compaction = from.compactionValues();
        replicated = from.isReplicated();
    }
}
