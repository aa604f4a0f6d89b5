package io.firn;

import io.firn.LogStore.MoveControl;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ServiceLoader;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * Builds and opens a store; {@link LogStore#at} returns one. For one thread. Applications do not
 * extend it: the library finds its own implementation by {@link ServiceLoader}.
 */
public abstract class LogStoreBuilder {
    /** For the implementation. */
    protected LogStoreBuilder() {}

    /**
     * Returns a builder for the store in a directory.
     *
     * @throws RefusedException when the implementation is missing from the class path
     */
    static LogStoreBuilder forStoreIn(Path directory) {
        // Not the thread's context class loader, which may see another copy of the library.
        ClassLoader ours = LogStoreBuilder.class.getClassLoader();
        return ServiceLoader.load(LogStoreBuilder.class, ours)
                .findFirst()
                .orElseThrow(LogStoreBuilder::missing)
                .at(directory);
    }

    private static RefusedException missing() {
        String name = LogStoreBuilder.class.getName();
        return new RefusedException(
                "no implementation of "
                        + name
                        + " was found: the jar that contains it must also contain the file"
                        + " META-INF/services/"
                        + name
                        + " of firn-core; if jars were merged, let the tool merge service files (Maven"
                        + " Shade: ServicesResourceTransformer)");
    }

    /** Returns a new builder for the store in a directory. */
    protected abstract LogStoreBuilder at(Path directory);

    /**
     * Adds a tier below those added so far: the first is the hottest. At least one is needed. Its
     * label is {@code tier-0} for the first tier, and so on; topics cannot choose it.
     *
     * @throws InvalidOptionException when it does not implement {@code io.firn.spi.StorageTier}
     */
    public abstract LogStoreBuilder tier(Tier tier);

    /**
     * As {@link #tier(Tier)}, with a label by which topics may choose it; use the same label when
     * the store is opened again.
     *
     * @throws InvalidOptionException when the label is not 1 to 32 of {@code a–z 0–9 -}, or is
     *     given twice
     */
    public abstract LogStoreBuilder tier(String label, Tier tier);

    /**
     * Allows topics to be created while the store has topics that it cannot read. Without this,
     * {@link LogStore#createTopic} refuses: the new topic might have the name of one that cannot be
     * read, and once that one is repaired, a store with two topics of one name does not open.
     */
    public abstract LogStoreBuilder createTopicsBesideUnreadableOnes();

    /**
     * Allows symbolic links to directories in the store's directory, such as {@code topics} on
     * another file system; a warning is logged. Without this they are refused, so that a store that
     * another user has prepared does not change or delete what is elsewhere. The store's directory
     * itself may be a link in any case, and a file must not be one. A tier has the same option, for
     * its own directory.
     */
    public abstract LogStoreBuilder allowLinkedDirectories();

    /**
     * Verifies the CRC of a batch each time that a tailer comes to it. By default a batch that this
     * process has appended is not verified until its segment is mapped again, and any other batch
     * once for each mapping of its segment; tailers share what was verified. A segment that was
     * sealed and is not read for 10 to 20 s is unmapped, so a later read verifies it again, and so
     * does the first read after a move to another tier. The same goes for the headers of batches
     * that a {@link io.firn.host.BatchReader} returns.
     *
     * <p>With this option, bytes that change in memory or on the medium after they were verified
     * are reported at the next read. A replay takes longer.
     */
    public abstract LogStoreBuilder verifyEveryRead();

    /**
     * Registers a listener for findings, as {@link LogReader#addFindingListener} does, so that it
     * is also called for what is found when the store is opened.
     */
    public abstract LogStoreBuilder findingListener(Finding.Listener listener);

    /** Uses no threads: the caller runs {@link LogStore#doWork} all the time. */
    public abstract LogStoreBuilder invokerMode();

    /**
     * Sets the clock for timestamps and ages, in ms since 1970. The default is the system clock,
     * cached while records are appended: it lags by a few ms, or more while all background threads
     * are in I/O; the first append after a pause reads the system clock. In invoker mode the cached
     * time advances only in {@link LogStore#doWork}. Another clock may be set forward at any
     * moment, so it is read about every 10 ms while any background work is scheduled.
     */
    public abstract LogStoreBuilder clock(EpochClock value);

    /**
     * Sets the clock that measures the pauses after which failed background work is tried again, in
     * ns. For tests in invoker mode, which decide with it and {@link #clock} how time passes. The
     * default is {@link System#nanoTime}.
     */
    public abstract LogStoreBuilder nanoClock(NanoClock value);

    /**
     * Sets how background threads idle. By default they spin and yield for some microseconds and
     * then park until there is work, so that an idle store uses no CPU time. A strategy that is
     * passed in is used as it is: one that spins checks for work all the time. It is used by one of
     * the threads that force and by the one that tidies up; the other threads that force park.
     *
     * <p>In a read-only store, the thread that follows the writer uses one, and each tailer another
     * one while it waits in {@link Tailer#poll(RecordHandler, int, Duration)}. By default such a
     * tailer spins for 20 µs, then parks for up to 1 ms. After a second without records, the thread
     * that follows the writer looks for all such tailers every 10 ms (up to 250 ms when they read
     * thousands of partitions) and wakes those that have news.
     */
    public abstract LogStoreBuilder idleStrategy(Supplier<IdleStrategy> value);

    /**
     * Sets what makes the store's background threads; by default they are daemon threads. Each gets
     * the name of its work, such as {@code firn-force}. Threads that force are also made while the
     * store is open; when that fails, those that exist do the work. Not for the thread on which
     * files are mapped, {@code firn-map}: all open stores share it.
     */
    public abstract LogStoreBuilder threadFactory(ThreadFactory value);

    /**
     * Sets how many partitions the background forces at once: for appends that do not wait, and for
     * topics that are forced by time or bytes. Each partition has one force at a time. So many
     * threads are created at most, each when all others are busy. While a force takes less than
     * about 20 µs, as on persistent memory, one thread forces one partition after another. 1 to 64,
     * default 32; ignored in invoker mode.
     *
     * @throws InvalidOptionException when it is out of this range
     */
    public abstract LogStoreBuilder forceThreads(int value);

    /**
     * Sets how many partitions the store may have in all its topics. Each uses memory while the
     * store is open, so a store with too many could not be opened again. 1 or more; by default one
     * for each 16 KiB of the largest heap, at least 1,000: 16,384 with {@code -Xmx256m}. A store
     * that has more partitions opens nevertheless, if the heap can hold them.
     *
     * @throws InvalidOptionException when it is less than 1
     */
    public abstract LogStoreBuilder maxPartitions(int value);

    /**
     * Sets how far, in time, marks may lag behind the durable position, which bounds what recovery
     * has to verify. 1 ms to 1 h, default 100 ms.
     *
     * @throws InvalidOptionException when it is out of this range
     */
    public abstract LogStoreBuilder markInterval(Duration value);

    /**
     * Sets how often advanced cursors are persisted. 1 ms to 1 h, default 100 ms.
     *
     * @throws InvalidOptionException when it is out of this range
     */
    public abstract LogStoreBuilder cursorInterval(Duration value);

    /**
     * Sets when an inactive producer is forgotten. 1 ms or more, default 1 day.
     *
     * @throws InvalidOptionException when it is shorter
     */
    public abstract LogStoreBuilder producerExpiry(Duration value);

    /**
     * Sets when the name of a {@linkplain LogStore#openProducer named producer} that is not used is
     * forgotten. One with an open transaction is kept. The store looks every hour. 1 ms or more,
     * default 7 days.
     *
     * @throws InvalidOptionException when it is shorter
     */
    public abstract LogStoreBuilder producerNameExpiry(Duration value);

    /**
     * Sets the bytes that compaction uses while it runs, on the heap and outside. 16 MiB are for
     * batches, which are read and written piece by piece, whatever they contain. The rest, but at
     * least half, is for keys: 24 for each key and a tenth spare. When a topic has more keys, it is
     * compacted in several runs. 1 KiB to 1 GiB; by default an eighth of the heap, 32 MiB at most.
     * With less than 32 MiB, half of it and 16 MiB are used.
     *
     * <p>A segment stays as it is, and {@link PartitionReader.CompactionResult#skipped} names it,
     * if it has a batch that takes more than 8 MiB to decompress at a time (windows of zstd from
     * level 20 on, larger blocks of snappy), more than 128 MiB when it is decompressed, or more
     * than 4,194,304 records.
     *
     * @throws InvalidOptionException when it is out of this range
     */
    public abstract LogStoreBuilder compactionMemory(int bytes);

    /**
     * Sets the bytes per second that the store's own compaction reads and writes at most, together.
     * 64 KiB or more, default 32 MiB.
     *
     * @throws InvalidOptionException when it is less
     */
    public abstract LogStoreBuilder compactionRate(long bytesPerSecond);

    /**
     * Sets the memory that all readers of the store together use to decompress batches: what is
     * decompressed of batches that are being read, and what codecs need for large ones. A batch may
     * decompress to half of it, and to 128 MiB at most; reading a larger one throws a {@link
     * BatchTooLargeException}. When it is used up, what a tailer keeps between two polls of one
     * batch is dropped, that of the tailer that was polled least recently first; its next poll
     * decompresses the batch again. A poll waits while handlers on other threads are using all of
     * it (see {@link BusyException}). More than a sixteenth of it, and than 4 MiB, is not kept
     * after the last record of a batch. Batches that are not compressed need none of it. 1 MiB or
     * more; by default 5/64 of the largest heap, from 16 to 256 MiB.
     *
     * @throws InvalidOptionException when it is less
     */
    public abstract LogStoreBuilder readMemory(long bytes);

    /**
     * Sets in which time all sealed segments are read and verified once, on a thread of its own.
     * From it and their bytes follows the rate, which is halved or more where that would take more
     * than half of a disk or processor. Damage becomes a {@linkplain Finding finding} before a
     * reader comes to it. The place is kept over a restart; the time in which the store is closed
     * does not count. What the operating system has in memory is not read from the medium. Not in
     * invoker mode. 1 s or more, default 7 days; a period of years means never.
     *
     * @throws InvalidOptionException when it is shorter
     */
    public abstract LogStoreBuilder scrubPeriod(Duration value);

    /**
     * Opens the store, or creates it when the directory holds none. Completes recovery from a crash
     * before it returns.
     *
     * @throws StoreLockedException when it is open for writing elsewhere
     * @throws StoreOpenException when it cannot be opened; says what was expected and what was
     *     found
     * @throws InvalidOptionException when no tier was added, or two tiers use one directory
     */
    public abstract LogStore open();

    /**
     * Opens the store without changing anything, while another process writes it or afterwards.
     *
     * <p>Readers see a record as soon as it is durable, or in a WRITTEN topic written: the writer
     * publishes how far it is in a file that both processes map. This needs Linux, and both
     * processes on one machine. Elsewhere, readers see what the writer's marks prove, up to a
     * {@linkplain #markInterval mark interval} later. A tailer that waits in a poll is not woken,
     * but looks again and again; see {@link #idleStrategy}.
     *
     * <p>When the writer has ended without closing the store, and no process holds the store's
     * lock, they also see what recovery would accept if a writer opened the store now: all
     * acknowledged records, and possibly the last ones that were appended but not acknowledged. The
     * latter were not forced: until a writer has opened the store, a power failure may lose them,
     * even where what is forced survives {@link Survives#POWER_LOSS}. Acknowledged records survive
     * it there.
     *
     * <p>What it returns, and its topics, partitions and cursors, have no methods that write, and
     * cannot be cast to types that do.
     *
     * <p>In a WRITTEN topic, a reader may have seen records that a reader which opens the store
     * after the writer was killed does not see yet: while another writer opens the store, it shows
     * what the marks prove. A tailer at the offset of such a record gets an {@link
     * OffsetOutOfRangeException}. When that writer has opened the store, the records are there
     * again, unless the power failed. Keep the position, and try it again.
     *
     * @throws StoreOpenException when there is no store, or it cannot be opened
     * @throws InvalidOptionException as {@link #open}
     */
    public abstract LogReader openReadOnly();

    /**
     * Makes a store of a backup ({@link LogStore#backupTo}): writes it into the directory and the
     * tiers of this builder, which must be empty, verifies it, and leaves it closed. Each segment
     * goes to the coldest tier that its topic allows and that has room. The store and its tiers get
     * new identities; topics keep theirs.
     *
     * <p>A store whose restore was interrupted does not open: delete it and restore again.
     *
     * @return what was restored
     * @throws InvalidOptionException when the directory is not empty, or no tier is named that a
     *     topic allows
     * @throws UnknownTopicException when the options name a topic that is not in the backup
     * @throws StoreFullException when the tiers have no room
     * @throws MediumException when there is no complete backup, it is damaged, or a medium failed
     */
    public final Backup restore(Path backup, RestoreOptions options) {
        return restore(backup, options, MoveControl.UNLIMITED);
    }

    /**
     * As {@link #restore(Path, RestoreOptions)}, with a control, which paces, observes and cancels
     * it. It is called before each piece of a segment that is read.
     *
     * @throws RetryableException when it was cancelled
     */
    public abstract Backup restore(Path backup, RestoreOptions options, MoveControl control);

    /** See {@link Backup#verify(Path, MoveControl)}. */
    protected abstract Backup verifyBackup(Path backup, MoveControl control);

    /** Returns whether a tier can have a label: 1 to 32 of {@code a–z 0–9 -}. */
    protected static boolean isTierLabel(String label) {
        return OptionValues.isTierLabel(label);
    }

    /**
     * Returns a duration in whole ms.
     *
     * @throws InvalidOptionException when it does not fit into a long; contains the option's name
     */
    protected static long millis(String name, Duration value) {
        return OptionValues.millis(name, value);
    }
}
