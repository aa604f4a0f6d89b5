package io.firn.metadata;

import io.firn.Finding.Kind;
import io.firn.background.Duty;
import io.firn.background.Duty.Duties;
import io.firn.findings.FindingKey;
import io.firn.findings.Findings;
import io.firn.findings.Subject;
import io.firn.medium.FileErrors;
import io.firn.medium.FileMedium;
import io.firn.medium.GuardedLog;
import io.firn.medium.MediumFile;
import io.firn.medium.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import javax.annotation.concurrent.GuardedBy;

/**
 * A little space reserved on the store's file system, so that deletions can be recorded when the
 * disk is full, of bytes or of inodes: a new log start, a tombstone, the checkpoint without which
 * no segment is deleted. Thread-safe.
 *
 * <p>The space is a file of one byte, again and again; zeros could be a hole, after a crash or in a
 * copy. It is never released, because appends would take what is free: the spare file becomes the
 * new file, and the file that is replaced becomes the spare one. No step needs a new block. The
 * order:
 *
 * <ol>
 *   <li>write the new content over the spare file, and force it: from now on it is not a spare file
 *       any more, since that contains nothing but the filler;
 *   <li>give the old file a second name, so that it is not freed;
 *   <li>rename the spare file to the target, and force the target's directory: the change is
 *       durable;
 *   <li>overwrite the old file with the filler, which is not needed now, and give it the name of
 *       the spare one.
 * </ol>
 *
 * A crash may undo each change of a directory by itself, as long as the directory was not forced.
 * Whatever file then has the name of the spare one, it is used only if it contains nothing but the
 * filler; any other is deleted at open, when nothing is appended, and created anew in the space
 * that it leaves. A file under the temporary name may be the target itself, so its name is deleted.
 *
 * <p>The old file may have fewer blocks than the spare one; when there is room, it is extended. If
 * there was no old file, the spare one is created again when there is room. Before a partition gets
 * a second segment it therefore has a file with its log start (see {@link
 * TopicFiles#ensureLogStart}).
 */
public final class SpareSpace extends Duty {
    private static final GuardedLog LOG = GuardedLog.get();
    private static final String NAME = "spare";
    private static final int BYTES = 16 * 1024;
    private static final int BLOCK = 4096;
    private static final byte FILLER = (byte) 0xA5;

    private static final long RETRY_MS = 1_000;

    private final FileMedium medium;
    private final Findings findings;
    private final FindingKey key;
    private final Path file;

    /** The old file's second name. */
    private final Path next;

    /** The length of the spare file; 0 when there is none. */
    @GuardedBy("this")
    private int held;

    /** Of a new store, for which the background has done nothing so far; else null. */
    private volatile LeasedCounter toCreate;

    /** Why it could not be written when it was tried last; null when it was not for an error. */
    @GuardedBy("this")
    private IOException failure;

    /**
     * Creates it; {@link #open} is called before it is used.
     *
     * @param findings gets whether a deletion may fail on a full disk
     */
    public SpareSpace(Duties duties, FileMedium medium, Path storeDirectory, Findings findings) {
        super(duties, Subject.store(storeDirectory), "spare space");
        this.findings = findings;
        this.key = FindingKey.of(Kind.DELETION_SPACE_MISSING, Subject.store(storeDirectory));
        this.medium = medium;
        this.file = storeDirectory.resolve(NAME);
        this.next = WholeFile.temporaryFor(file);
    }

    /**
     * Called at open, before anything is written to the tiers. Without the space only deletion on a
     * full disk fails, so errors are ignored here.
     */
    public synchronized void open() {
        try {
            discard(next);
            held = intactBytes();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, file + " cannot be read and is created again", e);
        }
        if (held < BYTES) {
            setAside(1);
            call();
        }
        noteMissing();
    }

    /**
     * Called instead when the store is created: nothing can be deleted yet, so the background
     * reserves the space and creates the file of the epochs later.
     */
    public void openNew(LeasedCounter epochs) {
        toCreate = epochs;
        call();
    }

    @GuardedBy("this")
    private void noteMissing() {
        if (held == BYTES) {
            findings.end(key);
        } else {
            findings.begin(
                    key,
                    file
                            + " reserves "
                            + held
                            + " of the "
                            + BYTES
                            + " bytes with which deletions are recorded while the disk is full"
                            + whyMissing());
        }
    }

    @GuardedBy("this")
    private String whyMissing() {
        return failure == null || FileMedium.isNoSpace(failure, medium, file, BYTES)
                ? ", since the file system has no room for more: free some, or deleting records may"
                        + " fail"
                : ", since it could not be written, which is tried again: "
                        + FileErrors.describe(failure);
    }

    /** Returns the length of the file; 0 when it is not a spare one, or does not exist. */
    private int intactBytes() throws IOException {
        if (!medium.exists(file)) {
            return 0;
        }
        try (MediumFile in = medium.open(file, false)) {
            if (in.size() > BYTES) {
                return 0;
            }
            byte[] bytes = new byte[(int) in.size()];
            int length = in.read(0, bytes, 0, bytes.length);
            return length == bytes.length && Arrays.equals(bytes, filler(length)) ? length : 0;
        }
    }

    private static byte[] filler(int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, FILLER);
        return bytes;
    }

    private void discard(Path path) throws IOException {
        if (medium.exists(path)) {
            medium.delete(path);
            // Some file systems reuse deleted blocks only after the deletion is durable.
            medium.forceDirectory(file.getParent());
        }
    }

    /** Replaces a file as a whole, durably on return; with the spare space if there is no other. */
    void write(Path target, byte[] content) throws IOException {
        try {
            WholeFile.write(medium, target, content);
        } catch (IOException e) {
            if (!FileMedium.isNoSpace(e, medium, file, BYTES)) {
                throw e;
            }
            writeInSpare(target, content, e);
        }
    }

    private synchronized void writeInSpare(Path target, byte[] content, IOException why)
            throws IOException {
        if (held == 0) {
            throw why;
        }
        medium.delete(WholeFile.temporaryFor(target)); // it has taken space in vain
        boolean isOldKept;
        try {
            fill(content);
            isOldKept = keepOld(target);
            medium.rename(file, target);
        } catch (IOException e) {
            restore();
            throw e;
        }
        held = 0;
        call();
        medium.forceDirectory(target.toAbsolutePath().getParent());
        LOG.log(
                System.Logger.Level.WARNING,
                "no space is left for the store "
                        + file.getParent()
                        + ": reserved space is used to record a deletion");
        if (isOldKept) {
            takeOld();
        }
        ensure(); // where a second name takes an inode, the old file has left one
    }

    /** Reserves the space again if there is none, before other files take what was freed. */
    public synchronized void ensure() {
        if (held == 0 && toCreate == null) {
            setAside(1);
        }
    }

    private void fill(byte[] content) throws IOException {
        try (MediumFile out = medium.open(file, true)) {
            out.write(0, content, 0, content.length);
            out.setSize(content.length);
            out.force(); // before the rename: otherwise a crash could leave the name with no bytes
        }
    }

    /** Nothing was renamed: the content is overwritten with the filler. */
    @GuardedBy("this")
    private void restore() {
        int bytes = held;
        held = 0;
        try {
            medium.delete(next);
            held = overwrite(file, bytes);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, file + " is not restored", e);
        }
        call();
    }

    /** Returns whether the old file has its second name. */
    private boolean keepOld(Path target) throws IOException {
        if (!medium.exists(target)) {
            return false;
        }
        medium.delete(next); // of an earlier try
        try {
            medium.link(target, next);
            return true;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, target + " will not be the spare file", e);
            return false;
        }
    }

    /** The target's directory is durable, so that only the second name leads to the old file. */
    @GuardedBy("this")
    private void takeOld() {
        try {
            int bytes = overwrite(next, BYTES);
            medium.rename(next, file); // need not be durable: a lost file is created again
            held = bytes;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, next + " will not be the spare file", e);
        }
    }

    /**
     * Overwrites a file with the filler; returns its length, which is {@code most} afterwards if it
     * was more.
     */
    private int overwrite(Path path, int most) throws IOException {
        try (MediumFile out = medium.open(path, true)) {
            int length = (int) Math.min(out.size(), most);
            out.setSize(length);
            out.write(0, filler(length), 0, length);
            return length; // not forced: after a crash it may have to be created again
        }
    }

    /** Reserves what is missing, and retries from time to time until there is room. */
    @Override
    public int run() {
        reserve();
        LeasedCounter epochs = toCreate;
        if (epochs != null) {
            epochs.create(); // not under this monitor: it may need the space
            toCreate = null;
        }
        return 0;
    }

    private synchronized void reserve() {
        if (held < BYTES) {
            setAside(2L * BYTES); // a write needs less than that more
        }
        if (held < BYTES) {
            againAt(nowMs() + RETRY_MS);
        }
        noteMissing();
    }

    /**
     * Creates the file, or extends it.
     *
     * @param least the bytes that must be usable; fewer than the file has are taken in whole blocks
     */
    @GuardedBy("this")
    private void setAside(long least) {
        failure = null;
        try {
            if (held == 0) {
                discard(file);
            }
            long usable = medium.usableBytes(file.getParent());
            int bytes = (int) Math.min(BYTES, held + usable / BLOCK * BLOCK);
            if (usable < least || bytes <= held) {
                return;
            }
            try (MediumFile out = held == 0 ? medium.create(file) : medium.open(file, true)) {
                out.write(held, filler(bytes - held), 0, bytes - held);
                out.force(); // the name need not be durable: a lost file is created again
            }
            held = bytes;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, file + " cannot be written, will be tried again", e);
            failure = e;
        }
    }
}
