package io.firn.cursor;

import io.firn.CursorReader;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.RetainUntilRead;
import io.firn.force.PartitionForcer;
import io.firn.host.ReadOnlyView;
import io.firn.log.SegmentedLog;
import io.firn.log.TopicContext;
import io.firn.log.TopicContext.ReadPositions;
import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.medium.FileErrors.UnsupportedVersionException;
import io.firn.metadata.TopicFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import javax.annotation.concurrent.GuardedBy;

/** The cursors of a topic. Thread-safe. */
public final class Cursors implements ReadPositions {
    /** The thread that writes a group has other duties, and each file takes space meanwhile. */
    private static final int MOST_TOGETHER = 64;

    private final TopicContext topic;
    private final IntSupplier partitions;
    private final IntFunction<PartitionForcer> forcers;
    private final Consumer<String> onDeleted;
    private final CursorWriteDuty upkeep;
    private final CursorFiles files;

    @GuardedBy("cursors")
    private final Map<String, CursorLog> cursors = new TreeMap<>();

    private volatile boolean allKnown;

    /**
     * Creates the cursors of a topic; what is stored of them is read when it is asked for.
     *
     * @param partitions the number of partitions, at any time
     * @param forcers those of the partitions; throws when there is no such partition
     * @param onDeleted is given the name of a cursor whose file was deleted; on return nothing
     *     brings the cursor back
     */
    public Cursors(
            TopicContext topic,
            IntSupplier partitions,
            IntFunction<PartitionForcer> forcers,
            Consumer<String> onDeleted) {
        this.topic = topic;
        this.partitions = partitions;
        this.forcers = forcers;
        this.onDeleted = onDeleted;
        this.upkeep = new CursorWriteDuty(this);
        this.files = new CursorFiles(topic.directory());
    }

    TopicContext topic() {
        return topic;
    }

    CursorFiles files() {
        return files;
    }

    int partitionCount() {
        return partitions.getAsInt();
    }

    PartitionForcer forcer(int partition) {
        return forcers.apply(partition);
    }

    SegmentedLog log(int partition) {
        return forcer(partition).log();
    }

    /** Whether the topic was deleted, or the store is closed. */
    boolean isGone() {
        return log(0).state().isGone();
    }

    public CursorLog cursor(String name) {
        checkName(name);
        log(0).state().checkReadable();
        synchronized (cursors) {
            return known(name);
        }
    }

    @GuardedBy("cursors")
    private CursorLog known(String name) {
        CursorLog cursor = found(name);
        if (cursor == null) {
            requireApart(name);
            cursor = new CursorLog(this, CursorLog.nothing(name));
            cursors.put(name, cursor);
        }
        return cursor;
    }

    /** Returns null when there is none. */
    @GuardedBy("cursors")
    private CursorLog found(String name) {
        CursorLog cursor = cursors.get(name);
        if (cursor == null) {
            cursor = read(name);
            if (cursor != null) {
                cursors.put(name, cursor);
            }
        }
        return cursor;
    }

    /** Each cursor has a file of its name, which on some systems must differ in more than case. */
    @GuardedBy("cursors")
    private void requireApart(String name) {
        if (topic.directory().hasExactNames()) {
            return;
        }
        String taken = name.endsWith(".") ? name.substring(0, name.length() - 1) : null;
        for (String other : names()) {
            if (CursorFiles.shareFile(name, other)) {
                taken = other;
            }
        }
        if (taken != null) {
            throw new InvalidOptionException(
                    "cursor "
                            + name
                            + " would have the same file as cursor "
                            + taken
                            + ": this system does not tell their names apart; choose a name that"
                            + " differs in more than case, and does not end with a dot");
        }
    }

    /** Returns null when it has no file. Only then it certainly has no positions. */
    private CursorLog read(String name) {
        try {
            CursorFiles.Content stored = files.read(name);
            if (stored == null) {
                return null;
            }
            new CursorCheck(topic, files, partitionCount(), this::log).check(stored);
            return new CursorLog(this, stored);
        } catch (DamagedFileException e) {
            return CursorLog.damaged(this, name);
        } catch (IOException e) {
            throw TopicFiles.failed("cursor " + name + " could not be read", e);
        }
    }

    /** Throws when a name of these cannot be a cursor's. */
    public static void checkNames(RetainUntilRead readers) {
        readers.cursors().forEach(Cursors::checkName);
    }

    /** Throws when a name cannot be a cursor's. */
    public static void checkName(String name) {
        Objects.requireNonNull(name, "name");
        if (!CursorFiles.isName(name)) {
            throw new InvalidOptionException(
                    "a cursor's name has 1 to "
                            + CursorFiles.MAX_NAME
                            + " characters and is to fit into a file's name with each byte of its"
                            + " UTF-8 other than a-z A-Z 0-9 . _ - taking three; this one has "
                            + name.length());
        }
    }

    /** Throws when a cursor is another topic's. */
    public void checkOwn(CursorReader cursor) {
        Object itself = cursor instanceof ReadOnlyView<?> view ? view.hosted() : cursor;
        if (itself instanceof CursorLog known && !known.topic().id().equals(topic.id())) {
            throw new InvalidOptionException(
                    "cursor "
                            + cursor.name()
                            + " belongs to topic "
                            + known.topic().name()
                            + " with the id "
                            + known.topic().id()
                            + ", this tailer reads topic "
                            + topic.name()
                            + " with the id "
                            + topic.id());
        }
    }

    /** Whether {@link #names} has a name. */
    public boolean has(String name) {
        Objects.requireNonNull(name, "name");
        if (!CursorFiles.isName(name)) {
            return false;
        }
        try {
            if (topic.store().isReadOnly()) {
                return read(name) != null; // the writing process makes and deletes them
            }
            synchronized (cursors) {
                return found(name) != null;
            }
        } catch (FirnException e) {
            if (e.getCause() instanceof UnsupportedVersionException) {
                return true; // it can be deleted
            }
            throw e;
        }
    }

    public List<String> names() {
        try {
            TreeSet<String> names = new TreeSet<>(files.names());
            if (!topic.store().isReadOnly()) {
                synchronized (cursors) {
                    names.addAll(cursors.keySet());
                }
            }
            return List.copyOf(names);
        } catch (IOException e) {
            throw TopicFiles.failed("the cursors of topic " + topic + " could not be listed", e);
        }
    }

    public void delete(String name) {
        Objects.requireNonNull(name, "name");
        topic.store().checkWritable();
        synchronized (cursors) {
            try {
                CursorLog cursor = cursors.get(name);
                if (cursor != null) {
                    cursor.delete();
                    cursors.remove(name); // until then retention waits for it
                } else if (CursorFiles.isName(name)) {
                    files.delete(name);
                }
            } catch (IOException e) {
                throw TopicFiles.failed("cursor " + name + " could not be deleted", e);
            }
        }
        onDeleted.accept(name);
        for (int i = 0; i < partitionCount(); i++) {
            onPersisted(i);
        }
    }

    /**
     * The positions of the cursors in a partition, by name, without cursors that have none there.
     */
    public Map<String, Long> offsets(int index) {
        learnAll();
        Map<String, Long> offsets = new TreeMap<>();
        synchronized (cursors) {
            for (CursorLog cursor : cursors.values()) {
                long offset = cursor.offset(index);
                if (offset >= 0) {
                    offsets.put(cursor.name(), offset);
                }
            }
        }
        return offsets;
    }

    /** Reads all cursors that have a file. Returns why some could not be read, by their names. */
    private Map<String, FirnException> learnAll() {
        if (allKnown) {
            return Map.of();
        }
        synchronized (cursors) { // a cursor that is deleted meanwhile must not come back
            Map<String, FirnException> unread = learn(names());
            allKnown = unread.isEmpty(); // new ones are added by cursor()
            return unread;
        }
    }

    @GuardedBy("cursors")
    private Map<String, FirnException> learn(Collection<String> names) {
        Map<String, FirnException> unread = new TreeMap<>();
        for (String name : names) {
            try {
                found(name);
            } catch (FirnException e) {
                unread.put(name, e);
            }
        }
        return unread;
    }

    /**
     * Reads all cursors, so that {@link #snapshot} need not.
     *
     * @throws FirnException when one of them cannot be read
     */
    public void readAll() {
        for (FirnException each : learnAll().values()) {
            throw each;
        }
    }

    /** Returns the positions that all cursors have now. */
    public CursorSnapshot snapshot() {
        CursorSnapshot snapshot = new CursorSnapshot(files);
        for (CursorLog each : all()) {
            CursorPositions.Write positions = each.copyPositions();
            if (positions != null) {
                snapshot.add(each.name(), positions);
            }
        }
        return snapshot;
    }

    @Override
    public void truncate(int partition, long offset) {
        List<CursorLog> all = new ArrayList<>();
        for (String name : names()) {
            CursorLog cursor = cursor(name);
            if (cursor.offset(partition) > offset) {
                cursor.commit(partition, offset);
            }
            all.add(cursor); // the file of another one may say more than it says now
        }
        write(all);
    }

    @Override
    public Unread unreadIn(int partition) {
        RetainUntilRead readers = topic.options().retainUntilRead();
        if (readers.isNone()) {
            return Unread.NOTHING;
        }
        Map<String, Long> offsets = new TreeMap<>();
        FirnException failure = null;
        synchronized (cursors) {
            Map<String, FirnException> unread = Map.of();
            try {
                unread = readers.isAll() ? learnAll() : learn(readers.cursors());
            } catch (FirnException e) {
                failure = e; // not even their names are known
            }
            for (Map.Entry<String, FirnException> e : unread.entrySet()) {
                offsets.put(e.getKey(), 0L);
                if (!(e.getValue().getCause() instanceof UnsupportedVersionException)) {
                    failure = e.getValue();
                }
            }
            for (String name : readers.isAll() ? cursors.keySet() : readers.cursors()) {
                CursorLog cursor = cursors.get(name);
                long offset = cursor == null ? CursorPositions.NEVER : cursor.unreadFrom(partition);
                if (offset != CursorPositions.NEVER) {
                    offsets.put(name, offset);
                } else if (!readers.isAll()) {
                    offsets.put(name, 0L);
                }
            }
        }
        return new Unread(offsets, failure);
    }

    /** Called when what is persisted of a cursor has changed; retention may have waited for it. */
    void onPersisted(int partition) {
        if (!topic.options().retainUntilRead().isNone()) {
            log(partition).events().onNewLimits();
        }
    }

    /** Called when a cursor was advanced; it is persisted before long. */
    void onChanged() {
        upkeep.call();
    }

    /** The cursors that are known now. */
    List<CursorLog> all() {
        synchronized (cursors) {
            return List.copyOf(cursors.values());
        }
    }

    /** Persists the cursors. */
    public void write() {
        Iterator<CursorLog> all = all().iterator();
        FirnException failure = null;
        while (all.hasNext()) {
            try {
                writeNext(all);
            } catch (FirnException e) {
                failure = e; // of this group; the others are written nevertheless
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Persists the next ones that have changed, as many as it is useful to write together. */
    void writeNext(Iterator<CursorLog> next) {
        int most = Math.min(MOST_TOGETHER, topic.store().background().sideBySide().usefulSteps());
        List<CursorLog> group = new ArrayList<>();
        while (group.size() < most && next.hasNext()) {
            CursorLog cursor = next.next();
            if (cursor.isChanged()) {
                group.add(cursor);
            }
        }
        write(group);
    }

    /** Persists cursors, in the order of their names; throws when one of them was not written. */
    void write(List<CursorLog> group) {
        CursorGroup together = new CursorGroup(topic, files);
        together.write(group).stream().forEach(this::onPersisted);
        topic.store().ownership().check(); // as records, after they are durable (O31)
        if (together.failure() != null) {
            throw together.failure();
        }
    }
}
