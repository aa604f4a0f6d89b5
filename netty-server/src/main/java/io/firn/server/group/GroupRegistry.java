package io.firn.server.group;

import io.firn.FirnException;
import io.firn.server.wire.ClientShares;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import javax.annotation.concurrent.GuardedBy;
import org.apache.kafka.common.protocol.Errors;

/**
 * All groups: those in memory, and those of which only the file is left because the memory has no
 * room for them. These count in the share of their client, and are loaded when somebody asks for
 * them; then groups without members, the least recently used first, make room. Thread-safe.
 */
final class GroupRegistry {
    private static final System.Logger LOG = System.getLogger("io.firn.server");

    /** To look through all groups takes long, so it is not done for each request. */
    private static final long TRY_AGAIN_NS = 1_000_000_000;

    private final Map<String, Group> loaded = new ConcurrentHashMap<>();

    /** The number of groups of which only the file is left. */
    private final AtomicInteger stored = new AtomicInteger();

    /** What the offsets use of groups that have left the memory: the store keeps them. */
    @GuardedBy("changing")
    private final Map<String, Long> offsets = new HashMap<>();

    /** Held while a group is loaded, created, or leaves the memory; before a group's monitor. */
    private final Object changing = new Object();

    /** When even all groups without members were not enough. */
    @GuardedBy("changing")
    private long lastVainNs = System.nanoTime() - TRY_AGAIN_NS;

    private final GroupFiles files;
    private final ClientShares memory;
    private final GroupMemory.Refusals refusals;
    private final UnaryOperator<Group> start;

    /**
     * Creates the set, which is empty until {@link #open}.
     *
     * @param start is applied to each group that comes into memory
     */
    GroupRegistry(GroupFiles files, ClientShares memory, UnaryOperator<Group> start) {
        this.files = files;
        this.memory = memory;
        this.refusals = new GroupMemory.Refusals(memory);
        this.start = start;
    }

    /**
     * Reads the files of all groups. Up to half of the limit is loaded, so that there is room for
     * new groups after each start.
     */
    void open() throws IOException {
        files.forEach(
                System.nanoTime(),
                group -> {
                    long bytes = bytesOf(group);
                    if (memory.usedBytes() + bytes <= memory.mostBytes() / 2) {
                        load(group);
                    } else {
                        memory.addStored(group.storedOwner(), bytes);
                        stored.incrementAndGet();
                    }
                });
        if (stored.get() > 0) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "{0} groups are loaded, {1} others when they are asked for: together they use"
                            + " more than half of firn.groups.max.bytes={2}",
                    loaded.size(),
                    stored.get(),
                    Long.toString(memory.mostBytes()));
        }
    }

    private static long bytesOf(Group group) {
        synchronized (group) {
            return group.memoryBytes();
        }
    }

    private Group load(Group group) {
        synchronized (group) {
            group.memory(new GroupMemory(memory, refusals, group.storedOwner()));
        }
        loaded.put(group.id(), start.apply(group));
        return group;
    }

    /**
     * Returns a group, which is loaded if necessary; null if there is none. The caller holds no
     * group's monitor.
     *
     * @throws org.apache.kafka.common.errors.CoordinatorNotAvailableException if it cannot be
     *     loaded, since groups with members use the memory
     */
    Group find(String groupId) {
        Group known = loaded.get(groupId);
        if (known == null && stored.get() > 0) {
            synchronized (changing) {
                known = loaded.get(groupId);
                known = known == null ? loadStored(groupId) : known;
            }
        }
        if (known != null) {
            known.used();
        }
        return known;
    }

    @GuardedBy("changing")
    private Group loadStored(String groupId) {
        Group group = files.read(groupId, System.nanoTime());
        if (group == null) {
            return null;
        }
        long more = bytesOf(group) - offsets.getOrDefault(groupId, 0L);
        makeRoomFor(more + some()); // the request may need memory, too
        if (!memory.hasMemoryFor(more) && !isLargeAndAlone(more)) {
            refusals.refuse(group.storedOwner());
            throw Errors.COORDINATOR_NOT_AVAILABLE.exception(
                    "There is no memory to load the group: try again later.");
        }
        load(group); // before: nobody may take it for one that is not there
        forgetStored(group);
        return group;
    }

    /** What was counted of a group that is not in memory counts no more. */
    @GuardedBy("changing")
    private void forgetStored(Group copy) {
        Long kept = offsets.remove(copy.id());
        long inMemory = kept == null ? 0 : kept;
        memory.add(copy.storedOwner(), -inMemory);
        memory.addStored(copy.storedOwner(), inMemory - bytesOf(copy));
        stored.decrementAndGet();
    }

    /** A group may be larger than the limit, because the heap was larger when it was stored. */
    private boolean isLargeAndAlone(long bytes) {
        long half = memory.mostBytes() / 2;
        return bytes > half && memory.usedBytes() <= half;
    }

    /** Leaves some of the limit to what is new, as long as there are groups without members. */
    void makeSomeRoom() {
        if (!memory.hasMemoryFor(some())) {
            synchronized (changing) {
                makeRoomFor(some());
            }
        }
    }

    private long some() {
        return memory.mostBytes() / 16;
    }

    @GuardedBy("changing")
    private void makeRoomFor(long bytes) {
        long now = System.nanoTime();
        if (memory.hasMemoryFor(bytes) || now - lastVainNs < TRY_AGAIN_NS) {
            return;
        }
        long more = memory.mostBytes() / 8; // so that the next one need not search again
        List<Used> all = new ArrayList<>();
        loaded.values().forEach(group -> all.add(new Used(group.usedNs(), group)));
        all.sort(Comparator.comparingLong(each -> each.ns - now));
        for (Used each : all) {
            if (memory.hasMemoryFor(bytes + more)) {
                return;
            }
            unload(each.group, false);
        }
        for (Used each : all) {
            if (memory.hasMemoryFor(bytes)) {
                break;
            }
            unload(each.group, true);
        }
        lastVainNs = memory.hasMemoryFor(bytes) ? lastVainNs : now;
    }

    private record Used(long ns, Group group) {}

    @GuardedBy("changing")
    private void unload(Group group, boolean mayWrite) {
        synchronized (group) {
            if (mayWrite && group.isIdle() && group.isUnwritten() && !write(group)) {
                return;
            }
            if (group.leaveMemory()) {
                if (group.commits().topicBytes() > 0) {
                    offsets.put(group.id(), group.commits().topicBytes());
                }
                stored.incrementAndGet(); // before: nobody may take it for one that is not there
                loaded.remove(group.id(), group);
            }
        }
    }

    @GuardedBy("group")
    private boolean write(Group group) {
        try {
            files.write(group);
            return true;
        } catch (FirnException e) {
            LOG.log(System.Logger.Level.WARNING, "a group has to stay in memory", e);
            return false;
        }
    }

    /** Returns whether there is a group, without reading its file. */
    boolean has(String groupId) {
        return loaded.containsKey(groupId) || (stored.get() > 0 && files.has(groupId));
    }

    /** Returns a group to look at, perhaps a copy that does not stay; null if there is none. */
    Group look(String groupId) {
        Group known = loaded.get(groupId);
        boolean isThere = known != null && isAlive(known);
        return !isThere && stored.get() > 0 ? files.read(groupId, System.nanoTime()) : known;
    }

    /** Returns false of a group that leaves the memory, or is deleted, just now. */
    private static boolean isAlive(Group group) {
        synchronized (group) {
            return !group.is(GroupState.DEAD);
        }
    }

    /**
     * Returns a group, and creates it if necessary; the caller holds no group's monitor.
     *
     * @param owner the client, in whose share of the memory a new group is
     * @return null if there is no memory for another group
     */
    Group findOrCreate(String groupId, String owner) {
        makeSomeRoom();
        Group known = find(groupId);
        if (known == null) {
            synchronized (changing) {
                known = find(groupId);
                if (known == null) {
                    if (!memory.hasRoomFor(owner, Group.FIXED_BYTES)) {
                        refusals.refuse(owner);
                        return null;
                    }
                    known = new Group(groupId, Group.NEVER_USED);
                    synchronized (known) {
                        known.storedOwner(owner);
                    }
                    return load(known);
                }
            }
        }
        synchronized (known) {
            known.adopt(owner);
        }
        return known;
    }

    /** Forgets a group in memory. */
    void remove(Group group) {
        loaded.remove(group.id(), group);
    }

    /**
     * Deletes a group of which only the file is left, without loading it. Others wait meanwhile, so
     * that this is for when there is no memory to load it.
     *
     * @param mayDelete looks at a copy of it
     * @return null if there is none; otherwise whether it was deleted
     */
    Boolean deleteStored(String groupId, Predicate<Group> mayDelete, Runnable first) {
        if (stored.get() == 0) {
            return null;
        }
        synchronized (changing) {
            Group copy = loaded.containsKey(groupId) ? null : files.read(groupId, 0);
            if (copy == null) {
                return null;
            }
            if (!mayDelete.test(copy)) {
                return false;
            }
            first.run();
            files.delete(groupId);
            forgetStored(copy);
            return true;
        }
    }

    /** Returns the groups in memory. */
    Iterable<Group> loaded() {
        return loaded.values();
    }

    /** Returns the ids of the groups of which only the file is left. */
    Set<String> storedIds() {
        if (stored.get() == 0) {
            return Set.of();
        }
        Set<String> ids = new LinkedHashSet<>(files.ids());
        ids.removeAll(loaded.keySet());
        return ids;
    }

    int count() {
        return loaded.size() + stored.get();
    }
}
