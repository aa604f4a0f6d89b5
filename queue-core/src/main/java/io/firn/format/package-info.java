/**
 * Kafka's record batch: one table of the header's fields ({@link io.firn.format.BatchFormat}), one
 * walk ({@link io.firn.format.BatchWalk}), encoders, and the codecs of compressed batches.
 */
package io.firn.format;
