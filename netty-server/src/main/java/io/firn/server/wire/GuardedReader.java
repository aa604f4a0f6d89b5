package io.firn.server.wire;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;

/**
 * Reads the fields of a request, up to a limit: a request uses more memory decoded than on the
 * wire, by far more when it consists of empty names.
 */
final class GuardedReader extends ByteBufferAccessor {
    /** The approximate heap use of a field, with its share of the object that contains it. */
    private static final int BYTES_PER_FIELD = 32;

    /** The same of a list, which has an object and a table of its own. */
    private static final int BYTES_PER_LIST = 96;

    private static final int MOST_FIELDS = 1 << 20;

    /** A list is allocated when its length is read, so the length has to be plausible. */
    private static final int MOST_ELEMENTS = 1 << 18;

    /** A header has five fields, and tags that a newer client may add. */
    private static final int MOST_IN_HEADER = 1 << 10;

    /** After so many fields the time is looked at: most requests have fewer. */
    private static final int FIELDS_PER_CHECK = 1 << 12;

    /** These take a tenth of a ms, or some ms while the code is not compiled yet. */
    private static final long MOST_NS_PER_CHECK = 15_000_000;

    /** Before this the time does not matter. */
    private static final long LEAST_NS = 60_000_000;

    /** What a field may take on average beyond that: several times as much as it does. */
    private static final long MOST_NS_PER_FIELD = 250;

    /**
     * Requests whose names are all names of what they list, so that no name comes often. Kafka's
     * collections of names of one hash need time by the cube when the last one is added, within a
     * single step.
     */
    private static final Set<ApiKeys> NAME_ONCE =
            EnumSet.of(
                    ApiKeys.PRODUCE,
                    ApiKeys.ADD_PARTITIONS_TO_TXN,
                    ApiKeys.OFFSET_FOR_LEADER_EPOCH,
                    ApiKeys.OFFSET_DELETE,
                    ApiKeys.CREATE_PARTITIONS,
                    ApiKeys.DESCRIBE_LOG_DIRS,
                    ApiKeys.JOIN_GROUP);

    /**
     * Requests that list names with lists of other names and numbers, each of which may come again
     * in the list of another name.
     */
    private static final Set<ApiKeys> NAME_ONCE_IN_LIST =
            EnumSet.of(
                    ApiKeys.CREATE_TOPICS,
                    ApiKeys.ALTER_CONFIGS,
                    ApiKeys.INCREMENTAL_ALTER_CONFIGS);

    /** So many of one hash are allowed in a list. */
    private static final int FEW = 64;

    /** Between a name and its list is the length of that, and in CreateTopics two numbers. */
    private static final int TOPIC_NUMBERS = 2;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final int mostFields;
    private final LongSupplier cpuNs;
    private long startNs;
    private long lastNs;
    private int fields;
    private int lists;
    private boolean isNameOnce;
    private boolean isNameOnceInList;
    private int strings;
    private final Map<Integer, Integer> names = new HashMap<>(0);
    private final Map<Integer, Integer> inList = new HashMap<>(0);
    private final Map<Integer, Integer> numbers = new HashMap<>(0);
    private int lastName;
    private int lastNumber;
    private int numberBefore;
    private int sinceName = Integer.MAX_VALUE / 2;
    private int sinceNumber = Integer.MAX_VALUE / 2;

    GuardedReader(ByteBuffer bytes) {
        this(bytes, MOST_FIELDS, GuardedReader::cpuNs);
    }

    /** Returns a reader for the body of a request. */
    static GuardedReader ofBody(ApiKeys key, ByteBuffer bytes) {
        GuardedReader reader = new GuardedReader(bytes);
        reader.isNameOnce = NAME_ONCE.contains(key);
        reader.isNameOnceInList = NAME_ONCE_IN_LIST.contains(key);
        return reader;
    }

    /**
     * Creates a reader.
     *
     * @param cpuNs the processor time of this thread
     */
    GuardedReader(ByteBuffer bytes, int mostFields, LongSupplier cpuNs) {
        super(bytes);
        this.mostFields = mostFields;
        this.cpuNs = cpuNs;
    }

    private static long cpuNs() {
        return THREADS.isCurrentThreadCpuTimeSupported()
                ? THREADS.getCurrentThreadCpuTime()
                : System.nanoTime();
    }

    /** Returns a reader for the header of a request, which begins at the buffer's position. */
    static GuardedReader ofHeader(ByteBuffer bytes) {
        return new GuardedReader(bytes, MOST_IN_HEADER, GuardedReader::cpuNs);
    }

    /** Returns about how many bytes of heap the fields read so far use. */
    long decodedBytes() {
        return (long) fields * BYTES_PER_FIELD + (long) lists * BYTES_PER_LIST;
    }

    /** Returns about how much processor time the fields have taken; 0 if they are few. */
    long tookNs() {
        return lastNs - startNs;
    }

    /** Returns the number of bytes that were not read. */
    int unreadBytes() {
        return super.remaining();
    }

    private void count() {
        sinceName++;
        sinceNumber++;
        if (++fields > mostFields) {
            throw new BadRequestException("it has more than " + mostFields + " fields");
        }
        if (fields % FIELDS_PER_CHECK == 0) {
            checkTime();
        }
    }

    /**
     * Kafka's collections need time by the square of what they contain, if it has one hash: an
     * event loop would stand still for minutes.
     */
    private void checkTime() {
        long now = cpuNs.getAsLong();
        long sinceCheckNs = now - lastNs;
        lastNs = now;
        if (fields == FIELDS_PER_CHECK) {
            startNs = now; // the fields before it are few
            return;
        }
        long allNs = now - startNs;
        if (allNs > LEAST_NS
                && (sinceCheckNs > MOST_NS_PER_CHECK
                        || allNs > LEAST_NS + MOST_NS_PER_FIELD * fields)) {
            throw new BadRequestException(
                    "its first " + fields + " fields took too long to decode; name each once");
        }
    }

    /**
     * Returns at most the limit of a list: the callers refuse lists that claim to be longer, and
     * ask once for each list.
     */
    @Override
    public int remaining() {
        lists++;
        if (isNameOnceInList) {
            beginList();
        }
        return Math.min(super.remaining(), MOST_ELEMENTS);
    }

    /** What has the list is the name before it, or the number of a partition. */
    private void beginList() {
        inList.clear();
        if (sinceName == 1 || sinceName == 1 + TOPIC_NUMBERS) {
            countIn(names, lastName);
        } else if (sinceNumber == 0) {
            countIn(numbers, numberBefore); // the last one is the length of the list
        } else if (sinceNumber == 1) {
            countIn(numbers, lastNumber);
        }
    }

    private static void countIn(Map<Integer, Integer> counts, int hash) {
        if (counts.merge(hash, 1, Integer::sum) > FEW) {
            throw new BadRequestException(
                    "more than " + FEW + " of its names have one hash; name each once");
        }
    }

    private void countName(int hash) {
        if (isNameOnceInList) {
            countIn(inList, hash);
            numbers.clear();
            lastName = hash;
            sinceName = 0;
        } else if (isNameOnce && ++strings > FEW) { // most requests have fewer
            countIn(names, hash);
        }
    }

    @Override
    public String readString(int length) {
        String name = super.readString(length);
        countName(name.hashCode());
        return name;
    }

    @Override
    public Uuid readUuid() {
        Uuid id = super.readUuid();
        countName(id.hashCode());
        return id;
    }

    @Override
    public byte readByte() {
        count();
        return super.readByte();
    }

    @Override
    public short readShort() {
        count();
        return super.readShort();
    }

    @Override
    public int readInt() {
        count();
        numberBefore = lastNumber;
        lastNumber = super.readInt();
        sinceNumber = 0;
        return lastNumber;
    }

    @Override
    public long readLong() {
        count();
        return super.readLong();
    }

    @Override
    public int readUnsignedVarint() {
        count();
        return super.readUnsignedVarint();
    }
}
