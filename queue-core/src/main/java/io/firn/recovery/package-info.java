/**
 * Recovery at open: what a crash has left of a partition becomes its log again. Main class: {@link
 * io.firn.recovery.PartitionRecovery}.
 */
package io.firn.recovery;
