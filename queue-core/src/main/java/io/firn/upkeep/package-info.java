/**
 * The background duties of a partition: marks, seals, checkpoints, retention. {@link
 * io.firn.upkeep.PartitionUpkeep} creates them.
 *
 * <p><b>A new duty.</b> Extend {@code Duty} in {@code io.firn.upkeep} and create it in {@code
 * PartitionUpkeep}, which also decides what calls it: {@code onChange} for what depends on appends,
 * or a method of {@code LogEvents}. (A duty of a topic or of the store is in {@code io.firn.store},
 * as {@code TopicDeletionDuty}, or with its feature, as {@code CursorWriteDuty}.)
 *
 * <ul>
 *   <li>{@code PartitionUpkeep.onChange} is called while a partition changes, every 100 ms at most
 *       ({@code AppendWatchDuty}); a duty that depends on appends is called there. {@code
 *       onSealed}, {@code onFinished}, {@code onNewLimits} and {@code onView} are called once for
 *       each event.
 *   <li>All duties but forcing and reserving blocks run one after another on the threads {@code
 *       firn-tidy}, so a slow duty delays the others: work in steps. Blocks are reserved by several
 *       of these threads at once, beside the other duties. What a duty reads of {@code
 *       SegmentedLog} may be read by any thread.
 *   <li>{@code call()} makes it run soon; any thread may call it, and it allocates nothing. In
 *       {@code run}, {@code againAt(timeMs)} asks for a later run and {@code againSoon()} for one
 *       before long. {@code nowMs()} is the store's time. A duty that asks for nothing rests.
 *   <li>A duty may be run before its time, and the clock may be set back: it checks the time
 *       itself, as {@code MarkDuty} does.
 *   <li>A duty that throws is reported, and runs again after a pause of its own. An {@code Error}
 *       other than {@code VirtualMachineError} and {@code LinkageError} ends the thread, and the
 *       store refuses appends.
 *   <li>{@code run} returns how much was done, and does nothing once {@code log.state().isGone()}.
 *       It may log.
 *   <li>No duty runs while the store closes. What must happen then is called from {@code
 *       PartitionUpkeep.settle}. A read-only store runs no duties.
 *   <li>{@code run} holds no lock. To end a segment it takes the turn of the appenders ({@code
 *       OpenAppenders.endSegment}), to force it goes through the gate ({@code
 *       PartitionForcer.forceNow}), in this order.
 *   <li>Test it in invoker mode with a clock of the test, as {@code RetentionTest} in {@code
 *       testing/log-tests} (its helpers are {@code Stores} and {@code ManualClock}). Each step that
 *       durability depends on has a crash test and a mutant. Durable steps are in the table of
 *       docs/internals/ordering-rules.md.
 * </ul>
 */
package io.firn.upkeep;
