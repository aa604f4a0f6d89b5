/**
 * Backups of a store while it is written, and stores that are made of them.
 *
 * <pre>
 * StoreBackup       makes a backup: StorePoint → segments → state → manifest
 *   StorePoint      the point in time that the backup is as of
 *   PartitionCopy   copies or links the segments of a partition
 * StoreRestore      makes a store of a backup; LogCut says where a partition ends
 * BackupDirectory   the files of a backup; SavedSegment is one of them
 * </pre>
 *
 * <p>A backup is a directory:
 *
 * <pre>
 * DEST/lock              held while a backup is made
 *      unfinished        while a backup is made, and after one that was interrupted
 *      backup            the manifest: the state's name, length and checksum
 *      state-N           all small files of the store, and the list of the segments
 *      STORE/ID/P/…      a file for each segment, whose name has its length and checksum; STORE is the id of the
 *                        store, ID that of the topic
 * </pre>
 *
 * <p><b>Order</b> (O34). Each step is durable before the next one: segments, each under a temporary
 * name until it is forced and compared; the state; the manifest, which replaces the one before.
 * Only then what the backup before needed is deleted. So there is one complete backup at any time
 * after the first, and what an interrupted one has copied is used by the next.
 *
 * <p><b>The point in time.</b> The coordinator of transactions keeps the journal still while the
 * positions of cursors are taken first, and then the end of each partition. Who advances a cursor
 * because of a record, or decides a transaction, has made the record durable before, so what is
 * found first never knows of something that is found later and left out.
 */
package io.firn.backup;
