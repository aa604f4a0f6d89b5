package io.firn.medium;

import io.firn.Survives;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * A medium that passes every call on to another one. A subclass overrides the calls that it
 * observes, delays or lets fail, and {@link #wrap} if it does so for open files as well.
 */
public class FilterFileMedium implements FileMedium {
    /** The medium that does the work. */
    protected final FileMedium in;

    /** Creates a filter in front of a medium. */
    protected FilterFileMedium(FileMedium in) {
        this.in = Objects.requireNonNull(in, "in");
    }

    /** Returns what {@link #create} and {@link #open} return for a file: by default the file. */
    protected MediumFile wrap(Path path, MediumFile file) {
        return file;
    }

    @Override
    public AutoCloseable use() throws IOException {
        return in.use();
    }

    @Override
    public boolean exists(Path path) throws IOException {
        return in.exists(path);
    }

    @Override
    public boolean isLink(Path path) throws IOException {
        return in.isLink(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return in.list(directory);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        in.createDirectories(directory);
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        in.createDirectory(directory);
    }

    @Override
    public String writableByOthers(Path path) {
        return in.writableByOthers(path);
    }

    @Override
    public String foreignOwner(Path path) {
        return in.foreignOwner(path);
    }

    @Override
    public MediumFile create(Path file) throws IOException {
        return wrap(file, in.create(file));
    }

    @Override
    public MediumFile open(Path file, boolean writable) throws IOException {
        return wrap(file, in.open(file, writable));
    }

    @Override
    public FileChannel openToSend(Path file) throws IOException {
        return in.openToSend(file);
    }

    @Override
    public FileStatus statusOf(Path file) throws IOException {
        return in.statusOf(file);
    }

    @Override
    public Object identityOf(Path file) throws IOException {
        return in.identityOf(file);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        in.rename(from, to);
    }

    @Override
    public void link(Path file, Path second) throws IOException {
        in.link(file, second);
    }

    @Override
    public void delete(Path path) throws IOException {
        in.delete(path);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        in.forceDirectory(directory);
    }

    @Override
    public Survives survives(Path path) throws IOException {
        return in.survives(path);
    }

    @Override
    public String unknownFileSystem(Path path) throws IOException {
        return in.unknownFileSystem(path);
    }

    @Override
    public long usableBytes(Path path) throws IOException {
        return in.usableBytes(path);
    }

    @Override
    public MediumLock lock(Path file) throws IOException {
        return in.lock(file);
    }

    @Override
    public boolean isUnlocked(Path file) throws IOException {
        return in.isUnlocked(file);
    }

    @Override
    public String holder(Path file) throws IOException {
        return in.holder(file);
    }

    @Override
    public UUID runningSystem() {
        return in.runningSystem();
    }

    @Override
    public String thisProcess() {
        return in.thisProcess();
    }

    @Override
    public Life lifeOf(String process) {
        return in.lifeOf(process);
    }
}
