package io.firn.sim;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/** What a simulated medium refuses to do. Operations are counted from 1. */
public final class Faults {
    private IntPredicate failing = number -> false;
    private IntPredicate tooShort = number -> false;
    private IntPredicate withoutSpace = number -> false;
    private IntPredicate blind = number -> false;
    private Predicate<Path> unreadable = path -> false;
    private Predicate<Path> unwritable = path -> false;
    private long capacityBytes = Long.MAX_VALUE;
    private boolean late;
    private Predicate<String> ignored = operation -> false;

    Faults() {}

    /** Operations with these numbers fail with an I/O error, and have no effect. */
    public void failOperations(IntPredicate numbers) {
        failing = numbers;
    }

    /** Writes with these numbers fail when half of their bytes are written. */
    public void shortenWrites(IntPredicate numbers) {
        tooShort = numbers;
    }

    /** For operations with these numbers there is no space, and they have no effect. */
    public void refuseSpace(IntPredicate numbers) {
        withoutSpace = numbers;
    }

    /** Looks with these numbers, which change nothing, fail with an I/O error. */
    public void failLooks(IntPredicate numbers) {
        blind = numbers;
    }

    /** Files that cannot be read. */
    public void failReads(Predicate<Path> files) {
        unreadable = files;
    }

    /** Paths below which nothing may be changed, as on a file system that is mounted read-only. */
    public void refuseChanges(Predicate<Path> paths) {
        unwritable = paths;
    }

    /** Bytes that fit on the medium; when they are used up, no space is left. */
    public void limitBytes(long bytes) {
        capacityBytes = bytes;
    }

    /** Forces that read like this return normally and do nothing: a medium that lies. */
    public void ignoreForces(Predicate<String> operations) {
        ignored = operations;
    }

    /**
     * Space is taken by forces, not by writes, and deleted files give theirs back when their
     * directory is forced: as on file systems that allocate late.
     */
    public void takeSpaceLate() {
        late = true;
    }

    /** Ends all faults. */
    public void none() {
        late = false;
        ignored = operation -> false;
        failing = number -> false;
        tooShort = number -> false;
        withoutSpace = number -> false;
        blind = number -> false;
        unreadable = path -> false;
        unwritable = path -> false;
        capacityBytes = Long.MAX_VALUE;
    }

    long capacityBytes() {
        return capacityBytes;
    }

    boolean ignores(String force) {
        return ignored.test(force);
    }

    boolean isSpaceTakenLate() {
        return late;
    }

    boolean fails(int number) {
        return failing.test(number);
    }

    boolean isWithoutSpace(int number) {
        return withoutSpace.test(number);
    }

    boolean isBlind(int number) {
        return blind.test(number);
    }

    boolean isTooShort(int number) {
        return tooShort.test(number);
    }

    boolean isReadOnly(Path path) {
        return unwritable.test(path);
    }

    void checkRead(Path path) throws IOException {
        if (unreadable.test(path)) {
            throw ioError(path);
        }
    }

    static IOException ioError(Path path) {
        return new IOException(path + ": Input/output error (simulated)");
    }

    static IOException noSpace(Path path) {
        return new IOException(path + ": No space left on device (simulated)");
    }
}
