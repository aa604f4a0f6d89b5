/**
 * Background work of a store: duties, the threads that run them, back-off, signals.
 *
 * <p>A duty runs when an event calls it (an append, a roll, a released view) or at the time for
 * which it asked ({@code DutyScheduler}). Otherwise the thread is parked. No thread visits all
 * partitions, so idle partitions cost nothing. In invoker mode the caller of {@code doWork()} runs
 * every duty that is called or due. The cached clock ticks only while appenders ask for the time
 * often, from 4,096 times in 16 ms ({@code CachedClock}): each tick wakes a thread.
 *
 * <p><b>Forcing threads.</b> Several threads take the called duties from one queue; partitions are
 * not assigned to threads, so a slow force delays only its own partition. A duty is run by one
 * thread at a time: a call during its run makes it run once more afterwards and wakes no thread.
 * Hence a partition has one force at a time from the background (and one in all: the gate), and a
 * rolled segment and its successor are forced by the same run, in order (O2). What decides who does
 * the work:
 *
 * <ul>
 *   <li>A call wakes a parked thread only if no thread is looking for duties, and a thread that
 *       takes a duty wakes the next one if more are ready ({@code Workers}). While forces take less
 *       than about 20 µs, less than it takes to wake a thread, one thread does them all. A run that
 *       lasts longer is not waited for: the next call wakes another thread, and so does a look
 *       every 10 ms at most.
 *   <li>There is one more thread than there are forces in progress, up to the limit; it notices
 *       calls while the others are in I/O. A store that never forces two partitions at once has two
 *       forcing threads.
 *   <li>Of the tiers of a store, each one in which nothing is being forced is sure of a thread: a
 *       device that hangs cannot occupy all of them ({@code ReadyDuties}).
 *   <li>Duties for which a thread waits (DURABLE topics, futures) come before WRITTEN topics that
 *       are forced by time or bytes, except that every eighth run is one of the latter.
 *   <li>One parked thread watches the time. The others look at it half a second later, in case that
 *       one is in a force by then. When a thread that was called rests, and the time for which the
 *       watching one rests was put off, the former watches: a thread that is called often is awake
 *       anyway, and the other can sleep on.
 *   <li>A thread that finds no more work spins for some microseconds, and yields for a moment only
 *       if its last rest was shorter than a millisecond. On cores that others keep busy, each yield
 *       would cost one of them two switches.
 *   <li>The first append after a force calls, so that its time is known. After a force that came by
 *       bytes the writer is left alone, since it calls again after as many, and the duty looks at
 *       the time itself ({@code ForceDuty.lookLater}).
 *   <li>Each step of a close is tried whatever became of the others, also after a fault that Java
 *       tells late ({@code StoreEnd}, {@code CloseSteps}): otherwise the lock and the mappings
 *       would be held until the process ends. The first failure is thrown at last.
 *   <li>A close first ends the services that are attached to the store, the last one first, while
 *       the store can still be used ({@code LogStore.attach}, {@code Services}): a server answers
 *       what is under way and disconnects its clients. Nothing is attached from then on. The same
 *       list lets only one service have a role, so a store has one server at a time ({@code
 *       StoreAttachment}).
 *   <li>What is thrown to the holder of the turn is noted in a field, which needs no stack; the
 *       holder, or the next thread that wants it, has the partition poisoned if it was an {@code
 *       Error}, and releases the turn ({@code AppendTurn}). A close that has waited for an append
 *       for a minute throws before anything is released, and can be repeated ({@code StoreEnd}).
 *   <li>A close waits for appends that have begun and are not published: a later one would write
 *       into the log of the process that opens it next. Listeners that do not return are given up
 *       after a second ({@code OpenAppenders.awaitAppends}).
 *   <li>Files are mapped on {@code firn-map}, which no interrupt of the application reaches ({@code
 *       MappingThread}). It exists while a store of the process is open, so that a new segment
 *       needs no new thread; while it is in a call, which may hang, others get threads of their
 *       own. What fails while a block is made, an {@code Error} included, is thrown to the append
 *       that waits for it ({@code BlockSupplyDuty}).
 *   <li>At close each thread ends after the force that it is in. A force that never returns keeps
 *       {@code close} waiting, because its mapping must not be unmapped.
 * </ul>
 *
 * <p>Handlers, listeners and futures are called outside the force gate, by one thread at a time for
 * each partition. Only the listeners of a WRITTEN topic are called inside an append.
 *
 * <p>Each duty fails separately: the failure is logged and counted in the metrics, and the duty is
 * tried again after a pause that grows up to a minute ({@code BackOff}). The other duties of the
 * same partition continue. A tier whose medium fails also reports its last error in {@code
 * store.metrics()}. What fails now is among {@code LogStore.findings} ({@code Findings}: facts that
 * are added, conditions that are set and cleared by a key, and sources that are asked). If a thread
 * ends, by an {@code Error} or an interrupt, {@code LogStore.findings} names it and every partition
 * refuses appends ({@code Topics.onDeath}), so that no caller waits forever.
 */
package io.firn.background;
