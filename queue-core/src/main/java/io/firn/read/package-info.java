/**
 * Finds batches and records, and hands them out. Main classes: {@link io.firn.read.BatchCursor},
 * {@link io.firn.read.LogTailer}.
 */
package io.firn.read;
