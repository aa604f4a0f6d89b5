/** Compaction: of each key only the latest record stays. */
package io.firn.compact;
