package io.firn.metadata;

import io.firn.MediumException;
import io.firn.medium.Fields;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import javax.annotation.concurrent.GuardedBy;

/**
 * A number that grows over the life of a store and never repeats, even after a crash: a range is
 * made durable before its first number is handed out. The first range needs no file: the process
 * that creates the store may use it, and every later one that finds no file begins after it.
 * Thread-safe.
 */
public final class LeasedCounter {
    private static final String MAGIC = "counter";
    private static final int VERSION = 1;
    private static final String LEASED = "leasedBelow";
    private static final int RANGE = 1000;

    private final SpareSpace spare;
    private final Path file;

    @GuardedBy("this")
    private long next;

    @GuardedBy("this")
    private long leasedBelow;

    /**
     * Reads what was leased.
     *
     * @param isNew whether this process creates the store: no number was handed out before
     */
    public LeasedCounter(StoreFiles files, Path file, boolean isNew) throws IOException {
        this.spare = files.spareSpace();
        this.file = file;
        Fields fields = Fields.read(files.medium(), file, MAGIC, VERSION);
        leasedBelow = fields == null ? RANGE : fields.offset(LEASED);
        next = fields == null && isNew ? 0 : leasedBelow;
    }

    /** Excludes numbers up to this one, which were seen elsewhere. */
    public synchronized void above(long seen) {
        if (seen >= next) {
            next = seen + 1;
        }
    }

    public synchronized long next() {
        if (next >= leasedBelow) {
            lease(next + RANGE);
        }
        return next++;
    }

    /** Creates the file of a new store: to replace one needs no space on a full disk. */
    synchronized void create() {
        lease(leasedBelow);
    }

    @GuardedBy("this")
    private void lease(long upTo) {
        try {
            Map<String, String> values = Map.of(LEASED, Long.toString(upTo));
            // A store has to be opened, too, before something can be deleted.
            spare.write(file, SmallFile.content(file, MAGIC, VERSION, values));
            leasedBelow = upTo;
        } catch (IOException e) {
            throw new MediumException(
                    "numbers could not be reserved in " + file + ": " + e.getMessage(), e);
        }
    }
}
