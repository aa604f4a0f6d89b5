package io.firn.pmem;

import io.firn.medium.FileErrors.UnexpectedFileException;
import io.firn.medium.FileMedium;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.medium.MediumFile;
import io.firn.medium.OpenToOthers;
import io.firn.spi.StorageTier;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/**
 * Opens the pools of a tier. The order for writing: read and check what exists; lock; check again,
 * now that no other process can change it; choose the provider; create missing pools, the first one
 * last, so that it exists only if all exist; enlarge; map; read the tables.
 */
final class PoolOpener {
    private final StorageTier tier;
    private final PoolOptions options;
    private final TierContext context;
    private final FileMedium medium;
    private final List<Path> directories;
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<PmemProvider> providers = new ArrayList<>();

    PoolOpener(StorageTier tier, PoolOptions options, TierContext context) {
        this.tier = tier;
        this.options = options;
        this.context = context;
        this.medium = options.medium();
        this.directories = options.directories();
    }

    /** Returns the providers that were chosen, one for each pool. */
    List<PmemProvider> providers() {
        return providers;
    }

    List<PmemPool> open() throws IOException {
        boolean done = false;
        for (int i = 0; i < directories.size(); i++) {
            warn("the directory of a pool", directories.get(i));
            warn("the pool", poolPath(i));
        }
        try {
            PoolFile.Found[] found = readAll();
            List<PmemPool> pools = context.isReadOnly() ? openReadOnly(found) : openWritable();
            done = true;
            return pools;
        } finally {
            if (!done) {
                releaseAll();
            }
        }
    }

    private void warn(String what, Path path) {
        if (context.isReadOnly()) {
            OpenToOthers.warn(medium, what, path);
        } else {
            OpenToOthers.warnOfOwnerToo(medium, what, path);
        }
    }

    private void releaseAll() throws IOException {
        Collections.reverse(opened);
        for (AutoCloseable resource : opened) {
            try {
                resource.close();
            } catch (IOException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException("could not release " + resource, e);
            }
        }
    }

    private PoolFile.Found[] readAll() throws IOException {
        PoolFile.Found[] found = new PoolFile.Found[directories.size()];
        UUID tierId = null;
        for (int i = 0; i < found.length; i++) {
            found[i] = PoolFile.read(medium, poolPath(i));
            if (found[i] != null) {
                check(i, found[i].superblock(), tierId);
                tierId = found[i].superblock().tierId();
            }
        }
        for (int i = 0; i < found.length; i++) {
            // The first is created last: if it is missing, the creation of the others did not
            // finish.
            boolean unfinished = found[0] == null && context.mayCreate() && !context.isReadOnly();
            if (found[i] == null && !unfinished) {
                throw new IOException(
                        directories.get(i)
                                + " should hold pool "
                                + (i + 1)
                                + " of "
                                + found.length
                                + " of store "
                                + context.storeId()
                                + ", but there is no file '"
                                + PoolFile.NAME
                                + "' in it: is the right file system mounted there?");
            }
        }
        return found;
    }

    private void check(int index, Superblock pool, UUID tierId) throws IOException {
        if (!pool.storeId().equals(context.storeId())) {
            throw new IOException(
                    poolPath(index)
                            + " belongs to store "
                            + pool.storeId()
                            + ", expected store "
                            + context.storeId()
                            + ": give each store directories of its own");
        }
        if (pool.poolIndex() != index
                || pool.poolCount() != directories.size()
                || (tierId != null && !tierId.equals(pool.tierId()))) {
            throw new IOException(
                    poolPath(index)
                            + " is pool "
                            + (pool.poolIndex() + 1)
                            + " of "
                            + pool.poolCount()
                            + " of tier "
                            + pool.tierId()
                            + ", expected pool "
                            + (index + 1)
                            + " of "
                            + directories.size()
                            + (tierId == null ? "" : " of tier " + tierId)
                            + ": name the tier's directories in the order of its creation; further"
                            + " ones make a tier of their own");
        }
    }

    private List<PmemPool> openReadOnly(PoolFile.Found[] found) throws IOException {
        List<PmemPool> pools = new ArrayList<>();
        for (int i = 0; i < found.length; i++) {
            MediumFile file = medium.open(poolPath(i), false);
            opened.add(file);
            PmemProvider provider =
                    ProviderChoice.readOnly(medium, directories.get(i), file, options.emulation());
            pools.add(map(i, provider, found[i].superblock(), file, null));
        }
        return pools;
    }

    private List<PmemPool> openWritable() throws IOException {
        List<MediumLock> locks = new ArrayList<>();
        for (Path directory : directories) {
            MediumLock lock = lock(directory);
            opened.add(lock);
            locks.add(lock);
        }
        PoolFile.Found[] found = readAll();
        for (int i = 0; i < found.length; i++) {
            if (found[i] != null) {
                // A name that a killed process created may so far exist in memory only (O1).
                medium.forceDirectory(directories.get(i));
            }
        }
        for (Path directory : directories) {
            PmemProvider chosen =
                    ProviderChoice.choose(
                            medium, directory, options.provider(), options.emulation());
            providers.add(options.providerWrapper().apply(chosen));
        }
        Superblock[] superblocks = new PoolPreparation(options, context.storeId()).prepare(found);
        List<PmemPool> pools = new ArrayList<>();
        for (int i = 0; i < superblocks.length; i++) {
            MediumFile file = medium.open(poolPath(i), true);
            opened.add(file);
            pools.add(map(i, providers.get(i), superblocks[i], file, locks.get(i)));
        }
        return pools;
    }

    private PmemPool map(
            int index,
            PmemProvider provider,
            Superblock superblock,
            MediumFile file,
            MediumLock lock)
            throws IOException {
        if (context.isReadOnly()) {
            providers.add(provider);
        }
        Path path = poolPath(index);
        PmemMemory memory = provider.map(file, path, superblock);
        opened.add(memory::close);
        PmemPool pool = new PmemPool(tier, new MappedPool(path, superblock, file, memory, lock));
        pool.load();
        return pool;
    }

    private MediumLock lock(Path directory) throws IOException {
        try {
            medium.createDirectories(directory);
            return medium.lock(directory.resolve(PoolFile.LOCK));
        } catch (UnexpectedFileException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(
                    "the directory "
                            + directory
                            + " of a pool must be writable, and is not ("
                            + e
                            + "): change its permissions, or open read-only",
                    e);
        }
    }

    private Path poolPath(int index) {
        return options.poolPath(index);
    }
}
