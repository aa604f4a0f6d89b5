/**
 * Readers in other processes: what a writer publishes for them, and how a read-only store shows it.
 * The writer's side is {@link io.firn.follow.PublishedOffsetsFile}, which the log calls through
 * {@link io.firn.log.PublishedOffsets.OffsetPublisher}. A read-only store follows the file ({@link
 * io.firn.follow.FollowedLogs}), or the marks of segments where nothing is published ({@link
 * io.firn.follow.FollowedSegments}).
 *
 * <p><b>Readers in other processes.</b> While a writer has the store open it publishes the offsets
 * of its partitions in {@code STORE/ends} ({@code PublishedOffsetsFormat} describes the layout),
 * for each append with one release store beside the one for readers in its own process, for each
 * force with another. A read-only store maps the file, and its readers load their partition's slot
 * before each look at an end ({@code FollowedLog}): four loads without news. No thread wakes a
 * waiting tailer; it spins or parks as the store's idle strategy says (by default {@code
 * TailerRest}). After a second without records the follower's thread looks for all such tailers,
 * every 10 to 250 ms ({@code LongWaits}): waking costs more than looking. An end in a segment that
 * is not known yet makes the reader's thread look for that one segment ({@code StorageTier.find}).
 * What else changes is counted: the follower loads one word 5 ms after a change and while a
 * listener is registered, otherwise with pauses that double up to 160 ms, and looks only at
 * partitions whose segments were sealed, renamed, moved or deleted, and at topics if one was
 * created or deleted. Every 200 ms, and every second while no segment changes, it looks whether the
 * writer was killed, unless a partition's end is another one than at the look before. Every 30 s it
 * looks at everything, every 5 s while a medium fails.
 *
 * <ul>
 *   <li>Without a writer that publishes, the follower looks at the tiers again and again, and shows
 *       what the marks prove. That is so on systems and media that do not say which start of the
 *       system this is ({@code FileMedium.runningSystem}), and for partitions for which the file
 *       had no space. When the writer is gone and what it left is shown, the follower looks only
 *       for another writer.
 *   <li>A DURABLE topic shows durable ends only.
 *   <li>Readers change nothing in the file, so one that dies or hangs holds nothing up. One that is
 *       slow finds that retention has deleted its offset ({@code OffsetOutOfRangeException}).
 * </ul>
 *
 * <p>What a reader may believe (rules O21 to O23):
 *
 * <ul>
 *   <li><i>The writer was killed between storing a batch and publishing its end:</i> the end is too
 *       low, which is harmless. The file survives the process, in the page cache, and so does what
 *       is below its ends, so the ends stay true until something is changed. No process changes
 *       anything without the lock.
 *   <li><i>Another writer recovers:</i> before it changes anything it overwrites the term in the
 *       old file, where readers have it mapped, then deletes the file and makes another. A reader
 *       looks at the term after it loaded an end, so it uses an end only if the term lasted until
 *       then. Recovery keeps all that was published by a writer that was only killed: the bytes are
 *       in the page cache, and a whole batch with the mark's epoch is accepted. It can cut
 *       published bytes only of a WRITTEN topic whose medium failed. A reader that has already read
 *       those waits until the log has grown past them, and may then find a range reported as
 *       damaged.
 *   <li><i>Power was cut:</i> what the disk has of the file is ignored, because the file names the
 *       start of the system that it belongs to. So is a file on a network file system that a
 *       process of another machine has written.
 *   <li><i>The directory was copied:</i> the file also names its writer as the lock file does, so
 *       it is believed only beside that holder of the lock.
 *   <li><i>No file, another version, garbage, a file that is too short:</i> readers follow marks.
 *   <li><i>A process truncates, removes, replaces or overwrites the file:</i> the writer looks once
 *       a second, and when a store into the file fails ({@code OwnerWatchDuty}, {@code
 *       PublishedOffsetsFile.check}). It ends the term in the old file, makes another, has each log
 *       publish all of itself there, and only then begins a new term, so readers come back to
 *       microseconds. {@code LogStore.findings} says what was found. It does so only while it holds
 *       the lock, and eight times at most: each file stays mapped until the store is closed. A
 *       longer file is left as it is.
 *   <li><i>A thread that touches a page that was cut off</i> gets an {@code InternalError}. A
 *       read-only store's thread goes on, and its readers follow marks. JDK 25 throws the error
 *       where it happens: in ten of ten runs a writer that appended flat out went on. JDK 17 throws
 *       it late, in any code that runs: until the writer has looked, an append in compiled code may
 *       throw the error itself, although its record is there, and one that the error stopped
 *       half-way poisons its partition, as does an error that ends a thread of the store (in 36 of
 *       40 runs flat out; none in six where the writer rested). What is refused names the file.
 *       Nothing acknowledged is lost, and no JVM dies ({@code TruncatedUnderMappingTest}).
 *   <li><i>10,000 partitions:</i> a slot has 128 bytes, two lines of the cache: one for the
 *       appending thread, one for others. The file grows by pieces of 64 KiB, each mapped by
 *       itself. A slot says whose it is. It is given to another partition when its topic is deleted
 *       and no thread can append any more.
 *   <li><i>The bytes below an end:</i> stores through a shared mapping and calls that write go to
 *       the same pages of the page cache that readers have mapped, and a file system replaces a
 *       reader's zero page of a hole (DAX) before the call or the faulting store that fills it
 *       returns. So a reader that sees the end, stored later and with release, sees the bytes.
 *       Readers verify the CRC of each batch all the same: an error here would be reported as
 *       damage, never shown.
 * </ul>
 *
 * <p><b>Blocks that are used again.</b> Pins do not reach across processes: the writing process may
 * free and reuse a block that a read-only store has mapped. Core therefore reads through the
 * block's {@code BlockReader} ({@code Block.reader()}):
 *
 * <ul>
 *   <li>{@code bytes} returns the mapped memory itself, or a copy if the block may be reused.
 *       {@code CopyingReader} in {@code tier-pmem} makes the copy, and returns it only if the
 *       block's entry still names the same segment afterwards. Otherwise it throws {@code
 *       BlockReusedException}, and the follower lists the tier again: a reused block is not
 *       corruption.
 *   <li>{@code confirm} throws the same exception. Core calls it before it uses what it found
 *       without {@code bytes}: that no record has a timestamp, or that a range is damaged. Once
 *       reused, a block stays so; one check at the end covers a whole walk.
 *   <li>{@code Block.read}, which reads through the file, checks the same after each read.
 * </ul>
 *
 * <p>The writing process changes the entry, in both slots, before it stores the first byte of
 * another segment in the block. Files do not need this: an unlinked file stays readable, sealing
 * cuts off only bytes after everything that was ever visible, and no file is recycled while a
 * read-only tier has its shared lock (O37). The writing process reads without copying, too.
 *
 * <p><b>Files that are replaced.</b> A backup, an editor or rsync puts another file in the place of
 * one that is mapped, and an overlay file system copies a file when it is first written, while
 * readers keep the old one mapped. Before damage is reported, what is mapped is compared with what
 * the file has there now ({@code Block.renewView}), and where they differ the file is mapped again.
 * Bytes are compared, not identities: on overlayfs the copy has the identity of the original. A
 * read-only store reads marks from another file when that has taken the name. In the writing
 * process this is so for sealed segments. Pools are not mapped again.
 */
package io.firn.follow;
