package io.firn.server.wire;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongSupplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.types.RawTaggedField;

/**
 * Reads the fields of a request, up to a limit: a request uses more memory decoded than on the
 * wire, by far more when it consists of empty names.
 */
final class BoundedReadable extends ByteBufferAccessor {
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

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final int mostFields;
    private final LongSupplier cpuNs;
    private long startNs;
    private long lastNs;
    private int fields;
    private int lists;
    private boolean isAfterZero;
    private HashCollisionLimit repeated; // null where no name is counted

    BoundedReadable(ByteBuffer bytes) {
        this(bytes, MOST_FIELDS, BoundedReadable::cpuNs);
    }

    /** Returns a reader for the body of a request. */
    static BoundedReadable ofBody(ApiKeys key, ByteBuffer bytes) {
        BoundedReadable reader = new BoundedReadable(bytes);
        reader.repeated = HashCollisionLimit.in(key);
        return reader;
    }

    /**
     * Creates a reader.
     *
     * @param cpuNs the processor time of this thread
     */
    BoundedReadable(ByteBuffer bytes, int mostFields, LongSupplier cpuNs) {
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
    static BoundedReadable ofHeader(ByteBuffer bytes) {
        return new BoundedReadable(bytes, MOST_IN_HEADER, BoundedReadable::cpuNs);
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
        if (repeated != null) {
            repeated.onField();
        }
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
     * Returns at most the limit of a list: the callers refuse lists that claim to be longer. They
     * ask after the length of each list, and after each number of tags. Tags need a list, too; a
     * varint of 0 says that there are none, since the varint of a list is its length and 1.
     */
    @Override
    public int remaining() {
        if (!isAfterZero) {
            lists++;
            if (repeated != null) {
                repeated.onList();
            }
        }
        return Math.min(super.remaining(), MOST_ELEMENTS);
    }

    @Override
    public List<RawTaggedField> readUnknownTaggedField(
            List<RawTaggedField> before, int tag, int size) {
        if (repeated != null) {
            repeated.onTag();
        }
        return super.readUnknownTaggedField(before, tag, size);
    }

    @Override
    public String readString(int length) {
        String name = super.readString(length);
        onName(name.hashCode());
        return name;
    }

    @Override
    public Uuid readUuid() {
        Uuid id = super.readUuid();
        onName(id.hashCode());
        return id;
    }

    private void onName(int hash) {
        if (repeated != null) {
            repeated.onName(hash);
        }
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
        int number = super.readInt();
        isAfterZero = false;
        if (repeated != null) {
            repeated.onNumber(number);
        }
        return number;
    }

    @Override
    public long readLong() {
        count();
        return super.readLong();
    }

    @Override
    public int readUnsignedVarint() {
        count();
        int number = super.readUnsignedVarint();
        isAfterZero = number == 0;
        return number;
    }
}
