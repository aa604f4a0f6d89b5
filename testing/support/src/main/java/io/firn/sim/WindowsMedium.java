package io.firn.sim;

import io.firn.Survives;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.FilterFileMedium.FilterMapping;
import io.firn.medium.FilterFileMedium.FilterMediumFile;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * A medium that refuses what Windows refuses, in front of one that does not. A mapped file is
 * neither cut, replaced nor deleted; an open one is not replaced, and the directory of one is not
 * renamed. A mapped file itself can be renamed, because everybody who opens it here allows that. No
 * directory is forced, names do not differ in case only, and processes do not find out whether they
 * share mappings.
 */
public final class WindowsMedium extends FilterFileMedium {
    private final Set<Use> uses = new HashSet<>();

    private int refused;

    /** Behaves like Windows in front of a medium. */
    public WindowsMedium(FileMedium in) {
        super(in);
    }

    /** A file that is open or mapped, under the name that it has now. */
    private static final class Use {
        private final boolean mapped;
        private Path path;

        Use(Path path, boolean mapped) {
            this.path = path;
            this.mapped = mapped;
        }
    }

    /** Returns how many calls were refused because of a file that was in use. */
    public synchronized int refused() {
        return refused;
    }

    @Override
    public boolean canChangeFilesInUse() {
        return false;
    }

    @Override
    public boolean hasExactNames() {
        return false;
    }

    @Override
    public UUID runningSystem() {
        return null;
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        if (!in.exists(directory)) {
            throw new NoSuchFileException(directory.toString());
        }
    }

    @Override
    public Survives survives(Path path) {
        return Survives.PROCESS_CRASH;
    }

    @Override
    public String unknownFileSystem(Path path) {
        return "NTFS (no directory can be forced)";
    }

    @Override
    public void link(Path file, Path second) throws IOException {
        throw new IOException(file + " cannot have a second name here");
    }

    /** Returns the path with the name that the file has: another case may have been meant. */
    private Path named(Path path) throws IOException {
        Path parent = path.toAbsolutePath().getParent();
        if (parent == null || !in.exists(parent)) {
            return path;
        }
        String wanted = withoutDots(path);
        for (String name : in.list(parent)) {
            if (name.equalsIgnoreCase(wanted)) {
                return path.resolveSibling(name);
            }
        }
        return path.resolveSibling(wanted);
    }

    private static String withoutDots(Path path) {
        String name = path.getFileName().toString();
        int end = name.length();
        while (end > 1 && name.charAt(end - 1) == '.') {
            end--;
        }
        return name.substring(0, end);
    }

    private synchronized Use use(Path path, boolean mapped) {
        Use use = new Use(path.toAbsolutePath(), mapped);
        uses.add(use);
        return use;
    }

    private synchronized void end(Use use) {
        uses.remove(use);
    }

    /** Returns the uses of a file, or of those below a directory. */
    private List<Use> usesOf(Path path, boolean onlyMapped) {
        List<Use> found = new ArrayList<>();
        for (Use use : uses) {
            if (use.path.startsWith(path.toAbsolutePath()) && (use.mapped || !onlyMapped)) {
                found.add(use);
            }
        }
        return found;
    }

    private synchronized void requireUnused(Path path, boolean onlyMapped)
            throws FileSystemException {
        if (!usesOf(path, onlyMapped).isEmpty()) {
            refused++;
            throw new AccessDeniedException(path.toString(), null, "is open or mapped");
        }
    }

    @Override
    public boolean exists(Path path) throws IOException {
        return path.getFileName() == null ? in.exists(path) : in.exists(named(path));
    }

    @Override
    public MediumFile create(Path file) throws IOException {
        Path path = named(file);
        return new OpenFile(path, in.create(path));
    }

    @Override
    public MediumFile open(Path file, boolean writable) throws IOException {
        Path path = named(file);
        return new OpenFile(path, in.open(path, writable));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        Path old = named(from);
        Path target = named(to);
        boolean isFile = isFile(old);
        synchronized (this) {
            if (!isFile) {
                requireUnused(old, false);
            }
            requireUnused(target, false);
            in.rename(old, target);
            for (Use use : usesOf(old, false)) {
                use.path = target.toAbsolutePath();
            }
        }
    }

    private boolean isFile(Path path) throws IOException {
        try {
            in.list(path);
            return false;
        } catch (NotDirectoryException e) {
            return true;
        }
    }

    @Override
    public void delete(Path path) throws IOException {
        Path old = named(path);
        synchronized (this) {
            requireUnused(old, true);
            in.delete(old);
            uses.removeAll(usesOf(old, false));
        }
    }

    private final class OpenFile extends FilterMediumFile {
        private final Use use;

        OpenFile(Path path, MediumFile in) {
            super(in);
            this.use = use(path, false);
        }

        @Override
        public void setSize(long size) throws IOException {
            if (size < in.size()) {
                synchronized (WindowsMedium.this) {
                    requireUnused(use.path, true);
                    in.setSize(size);
                    return;
                }
            }
            in.setSize(size);
        }

        @Override
        protected Mapping wrap(Mapping mapping) {
            return new OpenMapping(use(use.path, true), mapping);
        }

        @Override
        public void close() throws IOException {
            end(use);
            in.close();
        }
    }

    private final class OpenMapping extends FilterMapping {
        private final Use use;

        OpenMapping(Use use, Mapping in) {
            super(in);
            this.use = use;
        }

        @Override
        public void unmap() {
            in.unmap();
            end(use);
        }

        @Override
        public boolean abandon() {
            boolean isLeft = in.abandon();
            if (!isLeft) {
                end(use);
            }
            return isLeft;
        }
    }
}
