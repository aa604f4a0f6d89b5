package io.firn.shadow;

/** An event of a followed topic. */
record FoundEvent(
        Kind kind, String topic, int partition, long fromOffset, long toOffset, String message)
        implements ShadowEvent {}
