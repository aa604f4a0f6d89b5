package io.firn.pmem;

import io.firn.Survives;
import io.firn.medium.FileMedium;
import io.firn.medium.GuardedLog;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import java.io.IOException;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import jdk.nio.mapmode.ExtendedMapMode;

/**
 * Finds out what kind of memory a path leads to, and chooses the provider that flushes it. The
 * libraries do not tell whether memory is persistent, so a synchronous mapping is requested, which
 * the system provides with DAX only.
 *
 * @param mode how the pool is mapped
 * @param forcing what a force does if the JDK does it
 */
record ProviderChoice(
        Provider kind, String reason, Survives survives, MapMode mode, MappedMemory.Forcing forcing)
        implements PmemProvider {
    private static final GuardedLog LOG = GuardedLog.get();
    private static final String PROBE = ".dax-probe";

    @Override
    public PmemMemory map(MediumFile file, Path path, Superblock pool) throws IOException {
        return switch (kind) {
            case LIBPMEM -> new LibpmemMemory(file, mode, pool);
            case LLPL -> new LlplMemory(file, path, mode, pool);
            default -> new MappedMemory(file, path, mode, pool, forcing);
        };
    }

    /**
     * Chooses the provider for a pool.
     *
     * @param directory the pool's directory; exists and is writable
     * @throws IOException when it is not persistent memory and that was not allowed
     */
    static ProviderChoice choose(
            FileMedium medium, Path directory, Provider wanted, Emulation emulation)
            throws IOException {
        String whyNotPersistent = probe(medium, directory);
        if (whyNotPersistent == null) {
            return onPersistentMemory(wanted);
        }
        if (emulation == Emulation.NONE) {
            throw new IOException(
                    directory
                            + " should be persistent memory, on a file system mounted with DAX, and"
                            + " is not ("
                            + whyNotPersistent
                            + "): mount it with -o dax, or ask for emulation, which survives less");
        }
        return emulated(medium, directory, wanted, emulation);
    }

    /**
     * Returns the provider for a reader while another process writes: it flushes nothing, and the
     * memory is examined without a write.
     */
    static ProviderChoice readOnly(
            FileMedium medium, Path directory, MediumFile pool, Emulation emulation)
            throws IOException {
        boolean persistent = whyNoMapping(pool, () -> ExtendedMapMode.READ_ONLY_SYNC) == null;
        Survives survives =
                persistent ? Survives.POWER_LOSS : emulatedClass(medium, directory, emulation);
        return new ProviderChoice(
                Provider.JDK, "read-only", survives, MapMode.READ_ONLY, MappedMemory.Forcing.NOT);
    }

    /** Returns why the directory's files cannot be mapped synchronously; null when they can. */
    private static String probe(FileMedium medium, Path directory) throws IOException {
        Path pool = directory.resolve(PoolFile.NAME);
        if (medium.exists(pool)) {
            try (MediumFile file = medium.open(pool, true)) {
                return whyNoMapping(file, () -> ExtendedMapMode.READ_WRITE_SYNC);
            }
        }
        Path probe = directory.resolve(PROBE);
        medium.delete(probe);
        try (MediumFile file = medium.create(probe)) {
            file.write(0, new byte[PoolFormat.PAGE], 0, PoolFormat.PAGE);
            return whyNoMapping(file, () -> ExtendedMapMode.READ_WRITE_SYNC);
        } finally {
            medium.delete(probe);
        }
    }

    private static String whyNoMapping(MediumFile file, Supplier<MapMode> mode) {
        try {
            Mapping mapping = file.map(mode.get(), 0, PoolFormat.PAGE);
            mapping.unmap();
            return null;
        } catch (NoClassDefFoundError e) {
            return "this Java runtime lacks the module jdk.nio.mapmode: link it with jlink"
                    + " --add-modules jdk.nio.mapmode";
        } catch (IOException | UnsupportedOperationException e) {
            return "no synchronous mapping: " + e.getMessage();
        }
    }

    private static ProviderChoice onPersistentMemory(Provider wanted) throws IOException {
        if (wanted != Provider.AUTO) {
            checkWorks(
                    wanted,
                    wanted == Provider.JDK
                            ? NativeAccess.whyNoSynchronousMappings()
                            : whyNot(wanted));
            return persistent(wanted, "named");
        }
        List<String> missing = new ArrayList<>();
        if (NativeAccess.isEnabled() && works(NativeAccess.whyNoLibpmem(), missing)) {
            return persistent(Provider.LIBPMEM, "native access is enabled, libpmem is there");
        }
        if (works(NativeAccess.whyNoSynchronousMappings(), missing)) {
            return persistent(
                    Provider.JDK,
                    missing.isEmpty() ? "needs no native code" : String.join("; ", missing));
        }
        if (works(NativeAccess.whyNoLibpmem(), missing)) {
            return persistent(Provider.LIBPMEM, String.join("; ", missing));
        }
        if (works(NativeAccess.whyNoLlpl(), missing)) {
            return persistent(Provider.LLPL, String.join("; ", missing));
        }
        throw new IOException("no provider for persistent memory: " + String.join("; ", missing));
    }

    private static ProviderChoice persistent(Provider kind, String reason) {
        return new ProviderChoice(
                kind,
                reason,
                Survives.POWER_LOSS,
                ExtendedMapMode.READ_WRITE_SYNC,
                MappedMemory.Forcing.LINES);
    }

    private static ProviderChoice emulated(
            FileMedium medium, Path directory, Provider wanted, Emulation emulation)
            throws IOException {
        boolean plain = emulation == Emulation.PLAIN;
        boolean nativeWanted = wanted == Provider.LLPL || wanted == Provider.LIBPMEM;
        if (nativeWanted && !plain) {
            throw new IOException(
                    "forced emulation goes through the file system, which the provider "
                            + wanted
                            + " does not: name JDK or AUTO, or ask for plain emulation");
        }
        checkWorks(wanted, whyNot(wanted));
        return new ProviderChoice(
                nativeWanted ? wanted : Provider.JDK,
                plain ? "plain emulation" : "forced emulation",
                emulatedClass(medium, directory, emulation),
                MapMode.READ_WRITE,
                plain ? MappedMemory.Forcing.NOT : MappedMemory.Forcing.PAGES);
    }

    private static Survives emulatedClass(FileMedium medium, Path directory, Emulation emulation)
            throws IOException {
        return emulation == Emulation.FORCED ? medium.survives(directory) : Survives.PROCESS_CRASH;
    }

    /** Returns why a provider cannot be used here at all; null if it can. */
    private static String whyNot(Provider wanted) {
        return switch (wanted) {
            case LLPL -> NativeAccess.whyNoLlpl();
            case LIBPMEM -> NativeAccess.whyNoLibpmem();
            default -> null;
        };
    }

    /** A provider that was named is used, or refused: another one may be slower or warn. */
    private static void checkWorks(Provider wanted, String whyNot) throws IOException {
        if (whyNot != null) {
            throw new IOException(
                    "the provider "
                            + wanted
                            + " was named and cannot be used: "
                            + whyNot
                            + "; provide that, or name AUTO for the best one that works");
        }
    }

    private static boolean works(String whyNot, List<String> missing) {
        if (whyNot == null) {
            return true;
        }
        if (!missing.contains(whyNot)) {
            missing.add(whyNot);
            LOG.log(System.Logger.Level.WARNING, whyNot + "; the next provider is tried");
        }
        return false;
    }
}
