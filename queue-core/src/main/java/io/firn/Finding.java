package io.firn;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A condition of a store that its user should know of. {@link LogReader#findings} lists those that
 * are present, and a {@link Listener} is called when one begins and when it ends; the log {@code
 * io.firn} gets a line for both. Immutable.
 *
 * <p>Two findings are equal when they are of the same condition: its kind and what it is about, but
 * not the text, which may change while the condition is present.
 *
 * <pre>{@code
 * for (Finding finding : store.findings()) {
 *     alert(finding.kind(), finding.toString());
 * }
 * }</pre>
 */
public interface Finding {
    /** How severe a condition is, from the least. The log has a level for each. */
    enum Severity {
        /** An operator has asked for it. The log has it at INFO. */
        NOTICE,
        /** Something is wrong, and the store goes on with what it can. */
        WARNING,
        /** Records are lost, or refused, or work is not done, until an operator acts. */
        ERROR
    }

    /** The kinds of conditions. More may be added: a {@code switch} needs a {@code default}. */
    enum Kind {
        /**
         * No tier of a topic has room for a segment: appends are refused when theirs is full. Free
         * space, or delete records.
         */
        TIER_FULL(Severity.WARNING),
        /**
         * The store's directory has no space for a log start: appends are refused. Free space on
         * its file system.
         */
        DIRECTORY_FULL(Severity.WARNING),
        /** The space in which deletions are recorded on a full disk is missing. Free space. */
        DELETION_SPACE_MISSING(Severity.WARNING),
        /** The medium of a tier failed when it was used last. Check it; Firn tries again. */
        TIER_FAILING(Severity.ERROR),
        /**
         * A tier is being drained, or was: it gets no new segments. Open the store without it when
         * it is empty.
         */
        TIER_DRAINED(Severity.NOTICE),
        /**
         * It is not known whether a tier survives what a topic asks for. Declare it, or use another
         * tier.
         */
        TIER_CLASS_UNKNOWN(Severity.WARNING),
        /**
         * A partition refuses appends until the store is opened again. Check the medium, open the
         * store again.
         */
        PARTITION_POISONED(Severity.ERROR),
        /**
         * The process, or the machine, has as many files open as it may have. Raise the limit, or
         * close some.
         */
        DESCRIPTORS_EXHAUSTED(Severity.WARNING),
        /**
         * Records are damaged or lost: recovery, a reader or the scrub found it. Restore them from
         * a copy; readers seek past them.
         */
        RECORDS_DAMAGED(Severity.ERROR),
        /**
         * A small file is damaged, missing, or not what it should be. Read the text: most files are
         * made again.
         */
        FILE_DAMAGED(Severity.WARNING),
        /**
         * Something in the store belongs to no topic, or to no place in one; it is kept. Move it
         * away if it is not needed.
         */
        UNKNOWN_CONTENT(Severity.WARNING),
        /**
         * The library of a codec is missing or does not load, so batches cannot be read. Add it,
         * start the process again.
         */
        CODEC_MISSING(Severity.WARNING),
        /**
         * Another process may write the store: this one acknowledges and changes nothing. Close the
         * store, end the other process.
         */
        LOCK_LOST(Severity.ERROR),
        /**
         * A thread of the store has ended: appends are refused, or nothing new is seen. Open the
         * store again.
         */
        THREAD_ENDED(Severity.ERROR),
        /** A topic cannot be read, and is not served. Restore the file that the text names. */
        TOPIC_UNREADABLE(Severity.ERROR),
        /**
         * A deleted topic cannot be removed so far; it is tried again. Check the medium of its
         * tiers.
         */
        TOPIC_DELETION_FAILING(Severity.ERROR),
        /** Other background work fails and is tried again. Read the cause in the text. */
        BACKGROUND_FAILING(Severity.ERROR),
        /**
         * Appends wait, because segments are filled faster than they are sealed and deleted. Use a
         * faster medium, or append less.
         */
        BACKGROUND_BEHIND(Severity.WARNING),
        /** Segments were sealed at times that are still to come. Check the clock of the machine. */
        CLOCK_WAS_AHEAD(Severity.WARNING),
        /** The last compaction of a partition has skipped segments. Read why in the text. */
        COMPACTION_SKIPPED(Severity.WARNING),
        /**
         * The compaction of a partition has ended with an error, and is not tried again. Remove the
         * cause, compact on request.
         */
        COMPACTION_FAILED(Severity.ERROR),
        /** A cursor does not fit its topic. Restore both from one copy, or set the cursor. */
        CURSOR_MISMATCH(Severity.WARNING),
        /** The end of a transaction may be among damaged records. It counts as not committed. */
        TRANSACTION_DOUBTFUL(Severity.WARNING),
        /**
         * A transaction is open for long, or cannot be ended: committed reads wait for it. End it,
         * or free space.
         */
        TRANSACTION_STALLED(Severity.WARNING),
        /** Readers in other processes see new records late. Do not change the file {@code ends}. */
        READERS_DELAYED(Severity.WARNING);

        private final Severity severity;

        Kind(Severity severity) {
            this.severity = severity;
        }

        /** Returns how severe a condition of this kind is. */
        public Severity severity() {
            return severity;
        }
    }

    /**
     * Is called when findings begin and end: one call at a time, in their order, on the store's
     * thread {@code firn-findings}, which does nothing else; in invoker mode in {@link
     * LogReader#doWork}. A listener that blocks delays the next calls, and in invoker mode the work
     * of the store. What it throws is logged, and the next calls are made all the same. It may call
     * any method of the store. There are no calls for what is present when the store is closed.
     */
    interface Listener {
        /** Called when a condition begins, and for those that are present at registration. */
        void onBegin(Finding finding);

        /** Called when a condition has ended. */
        void onEnd(Finding finding);
    }

    /** Returns what kind of condition it is. */
    Kind kind();

    /** Returns how severe it is. */
    default Severity severity() {
        return kind().severity();
    }

    /** Returns the name of the topic; empty if it is about none, or the name is unknown. */
    Optional<String> topic();

    /** Returns the partition of the topic; empty if it is about none. */
    OptionalInt partition();

    /** Returns the label of the tier; empty if it is about none. */
    Optional<String> tier();

    /** Returns the first offset that it is about; empty if it is about no offsets. */
    OptionalLong fromOffset();

    /** Returns the offset after the last one that it is about; empty if it is about no offsets. */
    OptionalLong toOffset();

    /** Returns when it began, or was found, by the clock of the store. */
    Instant since();

    /** Returns what was found and what to do, for people to read. */
    String text();
}
