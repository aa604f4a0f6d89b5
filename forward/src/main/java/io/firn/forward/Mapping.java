package io.firn.forward;

import io.firn.LogRecord;
import java.util.function.ToIntFunction;

/**
 * Where the records of a topic go.
 *
 * @param topic the name of the topic here
 * @param target the name of the topic there
 * @param partitioner chooses the partition there; null for the same one
 */
record Mapping(String topic, String target, ToIntFunction<? super LogRecord> partitioner) {}
