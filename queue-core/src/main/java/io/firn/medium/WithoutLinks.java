package io.firn.medium;

import io.firn.StoreOpenException;
import io.firn.medium.FileErrors.UnexpectedFileException;
import io.firn.medium.FileMedium.MediumLock;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;

/**
 * A medium that does not leave a directory: below it, links to other directories are refused. So
 * what is created, read, changed or deleted there is in that directory, however it was prepared.
 * The directory itself, which a user has named, may be a link. A link in the place of a file is
 * refused by the medium itself ({@link FileMedium#open}).
 *
 * <p>Each directory of a path is looked at before the path is used, which takes about a
 * microsecond. What takes the directory's place after that is not noticed.
 *
 * @see io.firn.spi.StorageTier
 */
public final class WithoutLinks extends FilterFileMedium {
    private static final GuardedLog LOG = GuardedLog.get();

    private final List<Path> roots;

    private WithoutLinks(FileMedium in, List<Path> roots) {
        super(in);
        this.roots = roots.stream().map(Path::toAbsolutePath).toList();
    }

    /**
     * Returns a medium that does not leave these directories. One of them may be in another one,
     * and then be a link. Other paths are passed on as they are.
     */
    public static FileMedium below(List<Path> roots, FileMedium medium) {
        return new WithoutLinks(medium, roots);
    }

    /**
     * Returns a medium that does not leave a directory; if links to directories are allowed, logs a
     * warning and returns the given one.
     *
     * @param what what the directory is, such as {@code the store}
     */
    public static FileMedium below(String what, Path root, FileMedium medium, boolean allowed) {
        if (!allowed) {
            return below(List.of(root), medium);
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "{0} {1} may contain links to directories: what they lead to is changed and deleted"
                        + " as if it were there; let nobody else write to it",
                what,
                root);
        return medium;
    }

    /**
     * Returns a directory that a program expects in one that its user names.
     *
     * @param allowed whether it may be a link
     * @throws StoreOpenException when it is a link, or cannot be looked at
     */
    public static Path child(Path named, String name, boolean allowed) {
        Path child = named.resolve(name);
        try {
            if (!allowed && FileMedium.real().isLink(child)) {
                throw refusal(child, named.toAbsolutePath());
            }
            return child;
        } catch (IOException e) {
            throw new StoreOpenException(FileErrors.describe(e), e);
        }
    }

    private static UnexpectedFileException refusal(Path link, Path root) {
        return new UnexpectedFileException(
                link,
                "is a symbolic link, should be a directory: links below "
                        + root
                        + " are not followed; put the directory itself there, mount it there, or"
                        + " allow links (allowLinkedDirectories, of a FileTier"
                        + " withLinkedDirectories; server:"
                        + " storage.allow.linked.directories=true; programs:"
                        + " --allow-linked-directories)");
    }

    private void checkParents(Path path) throws IOException {
        Path parent = path.toAbsolutePath().getParent();
        if (parent != null) {
            check(parent);
        }
    }

    /** Checks a directory, and those that its path leads through. */
    private void check(Path directory) throws IOException {
        Path all = directory.toAbsolutePath();
        Path root = rootOf(all);
        Path each = root;
        for (int i = root == null ? all.getNameCount() : root.getNameCount();
                i < all.getNameCount();
                i++) {
            each = each.resolve(all.getName(i));
            if (in.isLink(each)) {
                throw refusal(each, root);
            }
        }
    }

    private Path rootOf(Path path) {
        Path deepest = null;
        for (Path root : roots) {
            if (path.startsWith(root)
                    && (deepest == null || root.getNameCount() > deepest.getNameCount())) {
                deepest = root;
            }
        }
        return deepest;
    }

    /** A link has the name, whether or not there is what it leads to: it is not opened. */
    @Override
    public boolean exists(Path path) throws IOException {
        checkParents(path);
        return in.isLink(path) || in.exists(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        check(directory);
        return in.list(directory);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        check(directory);
        in.createDirectories(directory);
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        check(directory);
        in.createDirectory(directory);
    }

    @Override
    public MediumFile create(Path file) throws IOException {
        checkParents(file);
        return in.create(file);
    }

    @Override
    public MediumFile open(Path file, boolean writable) throws IOException {
        checkParents(file);
        return in.open(file, writable);
    }

    @Override
    public FileChannel openToSend(Path file) throws IOException {
        checkParents(file);
        return in.openToSend(file);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        checkParents(from);
        checkParents(to);
        in.rename(from, to);
    }

    @Override
    public void link(Path file, Path second) throws IOException {
        checkParents(file);
        checkParents(second);
        in.link(file, second);
    }

    @Override
    public void delete(Path path) throws IOException {
        checkParents(path);
        in.delete(path);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        check(directory);
        in.forceDirectory(directory);
    }

    @Override
    public MediumLock lock(Path file) throws IOException {
        checkParents(file);
        return in.lock(file);
    }
}
