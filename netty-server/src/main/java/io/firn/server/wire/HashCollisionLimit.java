package io.firn.server.wire;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Counts names and numbers of one hash while a request is decoded whose lists are collections of
 * Kafka's that look them up. When the last element is added to one of these it needs time by the
 * cube of those of one hash, within a single step, so they are refused before. Not thread-safe.
 */
final class HashCollisionLimit {
    /** Requests whose names are all names of what they list, so that no name comes often. */
    private static final Set<ApiKeys> ONCE =
            EnumSet.of(
                    ApiKeys.PRODUCE,
                    ApiKeys.ADD_PARTITIONS_TO_TXN,
                    ApiKeys.DESCRIBE_PRODUCERS,
                    ApiKeys.OFFSET_FOR_LEADER_EPOCH,
                    ApiKeys.OFFSET_DELETE,
                    ApiKeys.CREATE_PARTITIONS,
                    ApiKeys.DESCRIBE_LOG_DIRS,
                    ApiKeys.ALTER_REPLICA_LOG_DIRS,
                    ApiKeys.ELECT_LEADERS,
                    ApiKeys.JOIN_GROUP);

    /**
     * Requests that list names with lists of other names and numbers, each of which may come again
     * in the list of another name.
     */
    private static final Set<ApiKeys> ONCE_IN_LIST =
            EnumSet.of(
                    ApiKeys.CREATE_TOPICS,
                    ApiKeys.ALTER_CONFIGS,
                    ApiKeys.INCREMENTAL_ALTER_CONFIGS);

    /** So many of one hash are allowed in a list. */
    private static final int FEW = 64;

    /** Between a name and its list is the length of that, and in CreateTopics two numbers. */
    private static final int TOPIC_NUMBERS = 2;

    private static final int LONG_AGO = Integer.MAX_VALUE / 2;

    private final boolean isInList;
    private int strings;
    private Map<Integer, Integer> names;
    private Map<Integer, Integer> inList;
    private Map<Integer, Integer> numbers;
    private int lastName;
    private int lastNumber;
    private int numberBefore;
    private int sinceName = LONG_AGO;
    private int sinceNumber = LONG_AGO;

    private boolean isListPending;
    private Map<Integer, Integer> owners; // of the pending list; null if nothing counted has it
    private int owner;

    private HashCollisionLimit(boolean isInList) {
        this.isInList = isInList;
        if (isInList) { // others rarely need one
            names = new HashMap<>();
            inList = new HashMap<>();
            numbers = new HashMap<>();
        }
    }

    /** Returns what counts in a request; null where nothing has to be counted. */
    static HashCollisionLimit in(ApiKeys key) {
        boolean isInList = ONCE_IN_LIST.contains(key);
        return isInList || ONCE.contains(key) ? new HashCollisionLimit(isInList) : null;
    }

    /** A number is about to be read. */
    void onField() {
        sinceName++;
        sinceNumber++;
    }

    /** A number of four bytes was read. */
    void onNumber(int number) {
        beginList();
        numberBefore = lastNumber;
        lastNumber = number;
        sinceNumber = 0;
    }

    /** A name or an id was read. */
    void onName(int hash) {
        if (isInList) {
            beginList();
            count(inList, hash);
            numbers.clear();
            lastName = hash;
            sinceName = 0;
        } else if (++strings > FEW) { // most requests have fewer
            if (names == null) {
                names = new HashMap<>();
            }
            count(names, hash);
        }
    }

    /**
     * A list begins, or tags do: which of them is known when the first element is read. What has a
     * list is the name before it, or the number of a partition.
     */
    void onList() {
        if (!isInList) {
            return;
        }
        beginList(); // it was an empty one: the first tag has two numbers only before it
        isListPending = true;
        owners = null;
        if (sinceName == 1 || sinceName == 1 + TOPIC_NUMBERS) {
            owners = names;
            owner = lastName;
        } else if (sinceNumber == 0) {
            owners = numbers;
            owner = numberBefore; // the last one is the length of the list
        } else if (sinceNumber == 1) {
            owners = numbers;
            owner = lastNumber;
        }
    }

    /** A tag was read: what began was not a list. These requests have no tags that Kafka knows. */
    void onTag() {
        isListPending = false;
    }

    private void beginList() {
        if (!isListPending) {
            return;
        }
        isListPending = false;
        inList.clear();
        if (owners != null) {
            count(owners, owner);
        }
    }

    private static void count(Map<Integer, Integer> counts, int hash) {
        if (counts.merge(hash, 1, Integer::sum) > FEW) {
            throw new BadRequestException(
                    "more than " + FEW + " of its names have one hash; name each once");
        }
    }
}
