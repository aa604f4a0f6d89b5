/**
 * Transactions: what they do, and the journal that says how they ended.
 *
 * <p>A transaction is a set of appends to any partitions, and of cursor commits, that take effect
 * together or not at all.
 *
 * <pre>
 * LocalTransactions          those of this process; a server calls Coordinator for those of its clients
 *   Coordinator              who has a transaction open; every partition asks it before it stores a batch of one (O11)
 *   ProducerAppends          check, hold up readers, store, record: one step, with the turn and the producers' monitor
 *   ProducerOpener           a named producer is opened, which fences the one before
 *   Decisions                the end: close → data durable → decision durable → markers, cursors → answer (O12)
 *     Journal                the decisions: records in a hidden partition, one state for each producer; read by JournalReplay
 *   TxRecovery               after a crash (O13)
 *   TransactionDuty          time-outs, markers that found no room; in steps the length of the journal (JournalTrim) and names
 *                            that expire (`NameExpiry`)
 * PartitionTransactions      of one partition: what holds up readers, and which transactions were aborted
 * </pre>
 *
 * <ul>
 *   <li>The data of a transaction is appended where it will stay, as batches with Kafka's
 *       transactional attribute. A <i>marker</i>, one of Kafka's control batches, ends it in each
 *       partition. So segments are what Kafka's tools and clients expect.
 *   <li>Readers of committed records stop at the first offset of a transaction that is not decided
 *       ({@code heldAt}), and skip batches of aborted ones ({@code AbortedTransactions}, {@code
 *       ShownBatches}). A reader loads the end of the log first and {@code heldAt} after it; a
 *       writer lowers {@code heldAt} before it publishes the first batch, and raises it after the
 *       marker is appended. So no reader passes an undecided record, and without transactions the
 *       price is one load and one comparison in each poll. {@code StoreMetrics.transactions} names
 *       what readers wait for; {@code ForgottenTransactionDuty} logs an unnamed transaction, which
 *       has no time-out, when it has been open for a minute.
 *   <li>Which partitions a transaction is in is not written down while it is open. After a crash
 *       the partitions say so themselves: there are batches without a marker after them. A
 *       checkpoint of the producers contains the first offset of each open transaction, so recovery
 *       reads headers from the checkpoint on, as for sequences.
 *   <li>The <i>journal</i> is a topic that users do not see, DURABLE, in the tiers of the strongest
 *       class. Each record is the whole state of one producer ({@code JournalEntry}; but see added
 *       commits below), so the last record of each key counts, and nothing but the decision itself
 *       has to be forced. An entry names the partitions that may not have a durable marker yet, and
 *       the cursor commits that may not be in a cursor's file yet. For each partition it has the
 *       offset where the transaction's batches end: an open transaction of the same producer that
 *       begins above it is a later one. When the journal is longer than 4 MiB and twice what is
 *       alive, the entries that were not written for long are written again and the log start is
 *       raised.
 *   <li>A decision has to fit into one entry, whose largest size is 2 MiB, or less where a tier's
 *       blocks are smaller: about 53,000 partitions, or 30,000 cursor commits. A partition or a
 *       commit with which a transaction could not be ended is refused ({@code Journal.checkRoom}),
 *       and the transaction goes on without it. Of earlier decisions only what cannot be waited for
 *       counts.
 *   <li>The entry that makes the cursor commits of a client's open transaction durable has all of
 *       them. When it is longer than 4 KiB, which is more than 40 cursors, what a client commits
 *       next is a record of its own after it ({@code JournalEntry.AddedCommits}), with the same
 *       key: a client that sends 10,000 offsets one by one writes each once. It counts until the
 *       next entry of the producer. The journal drops no entry of a producer but for a later one,
 *       so an added commit whose entry is missing, and that no entry follows, is corruption.
 *       Releases before this record refuse to open a store whose journal has one.
 *   <li>A decision has a number, its offset in the journal. A cursor's file contains, for each
 *       partition, the number of the last decision that moved it, so a decision is carried out
 *       once, and a later plain advance is never undone.
 *   <li>A crash leaves the transaction of a named producer open, with the cursor commits that a
 *       server's client got an answer for: they are in the journal. Those of a {@code
 *       LocalTransaction} are in memory only; before the first one the journal says that a crash
 *       fences the producer. So no records are committed without their cursor commits.
 *   <li>A commit of an offset that was outside the log when a client asked for it is marked as such
 *       in the journal (version 4 of an entry), and kept beside the cursor's position; it is not
 *       confused with one whose records were lost:
 *   <li>What a client's open transaction has read of a WRITTEN topic may be lost by a power cut.
 *       Its cursor then moves to the end of the log, so that what gets those offsets is read;
 *       {@code LogStore.findings} says so.
 *   <li>A read-only store that finds damage while a transaction is open waits for the next
 *       checkpoint of the writing process, which says whether the marker was there; meanwhile there
 *       is a finding.
 *   <li>A cursor commit can have a <i>note</i>, which the server uses for the metadata of offsets:
 *       it is in the journal until the server has said that the group's file has it.
 *   <li>A transaction without a name that appended to one partition and commits no cursor needs no
 *       decision in the journal: its marker is the decision, and readers are held up until it is
 *       durable. Where there is no room for the marker, or an append takes long, the journal
 *       decides it.
 *   <li>A partition that has no room for its marker, or whose medium failed, holds up its readers
 *       until it can take it, or until the store is opened again. The decision stands, and the
 *       other partitions go on.
 *   <li>Aborted transactions are remembered for as long as the log contains them: about 40 bytes in
 *       memory each. The producers' checkpoint contains the latest; from 1,000 on they are moved
 *       into files of their own ({@code AbortedFiles}), each of which names the one before. If one
 *       is lost or corrupted, the partition's headers are read from the start.
 *   <li>A read-only store finds out about transactions from the checkpoint and the headers after it
 *       ({@code FollowedTransactions}), on the threads of its readers, and only if the store has a
 *       journal.
 *   <li>The store's file gets version 2 and {@code features=transactions} before the first
 *       transaction begins: older releases would show aborted records, and refuse the store
 *       instead.
 *   <li>Compaction removes what aborted transactions appended at once, and a marker when no batch
 *       of its transaction is left and its horizon has passed ({@code TransactionTrace}). A Kafka
 *       client learns of an aborted transaction only while its marker is in the log ({@code
 *       FetchedAbortedTransactions}): it would wait for it.
 *   <li>While the journal cannot be read, its topic's file being damaged, the store is not opened:
 *       it would not be known which transactions were committed.
 *   <li>The CRC of a control batch is checked whenever a walk steps on it ({@code BatchWalk}), also
 *       where other batches are believed by their headers: one flipped bit turns a commit into an
 *       abort. A {@code BatchReader} that does not walk over headers again ({@code TrustedBytes})
 *       does not check it again either. If the store is opened without the checkpoint of a
 *       partition's producers, and a marker there is damaged, its transaction counts as not
 *       committed, and {@code findings()} says so. To know that, recovery steps by headers over all
 *       batches above a transaction that is open as far as is known, and checks the CRC of those
 *       that are as short as a marker ({@code DamagedMarkers}).
 * </ul>
 */
package io.firn.tx;
