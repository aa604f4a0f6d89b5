package io.firn.bench;

import io.firn.Durability;
import io.firn.bench.Bench.Length;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import io.firn.pmem.Provider;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures durable appends to emulated persistent memory with each provider that can flush it,
 * beside a hand-written floor that uses the same library.
 */
@Command(
        name = "bin/bench pmem",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures durable appends to a pool in memory, one by one and in batches of 16, beside",
            "the floor (copy, CRC32C, flush by the same library). LIBPMEM needs Java 22 or later.",
            "The provider JDK is not measured, because it flushes real persistent memory only."
        })
public final class Pmem implements Callable<Integer> {
    private static final int[] SIZES = {64, 256, 1024, 4096};
    private static final int SEGMENT_MIB = 256;
    private static final int WARMUP_RECORDS = 1_000_000;
    private static final int WARMUP_BYTES = 256 << 20;
    private static final double WANTED_RATIO = 1.3;

    @Option(names = "--rounds", paramLabel = "N", description = "JVMs for each case; default 1.")
    private int rounds = 1;

    @Option(
            names = "--provider",
            paramLabel = "NAME",
            description = "LLPL or LIBPMEM; default: all that this machine supports.")
    private List<Provider> providers = new ArrayList<>();

    private final PrintStream out = System.out;

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Pmem()).execute(args));
    }

    @Override
    public Integer call() throws IOException, RunnerException {
        Path memory = Places.make("");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> Places.delete(memory)));
        out.printf(
                "%s%nflushing %s on %s, %d MiB segments and floors%n",
                Machine.now(), memory.getParent(), Machine.fileSystem(memory), SEGMENT_MIB);
        if (providers.isEmpty()) {
            providers = available(memory);
        }
        if (providers.isEmpty()) {
            return 1;
        }
        List<Case> cases = new ArrayList<>();
        for (Provider provider : providers) {
            for (int bytes : SIZES) {
                cases.add(line(provider, "exclusive", "append", bytes, 1, memory));
            }
            for (int bytes : SIZES) {
                int batch = AppendBenchmark.BATCH_RECORDS;
                cases.add(line(provider, "batchOf16", "batchOf16", bytes, batch, memory));
            }
        }
        Path log =
                Files.createTempFile(Files.createDirectories(Path.of("target")), "pmem-", ".log");
        Map<Bench, Sample> samples = Micro.run(cases, rounds, log);
        out.println();
        Table.print(out, cases, samples);
        out.println();
        return report(cases, samples) ? 0 : 1;
    }

    /** Returns the providers that flush memory on this machine; the tier logs why others do not. */
    private List<Provider> available(Path memory) throws IOException {
        List<Provider> found = new ArrayList<>();
        for (Provider wanted : List.of(Provider.LLPL, Provider.LIBPMEM)) {
            try (PmemTier tier =
                    PmemTier.at(memory.resolve(wanted.name()))
                            .withProvider(wanted)
                            .withEmulation(Emulation.PLAIN)
                            .withBlockBytes(2 << 20)
                            .withCapacityBytes(8 << 20)) {
                tier.open(new TierContext(UUID.randomUUID(), true, false));
                if (tier.provider() == wanted) {
                    found.add(wanted);
                } else {
                    out.println(wanted + " is skipped: " + tier.providerReason());
                }
            }
        }
        return found;
    }

    private static Case line(
            Provider provider, String subject, String floor, int bytes, int batch, Path memory) {
        Map<String, String> params = new TreeMap<>();
        params.put("dir", memory.toString());
        params.put("durability", Durability.DURABLE.name());
        params.put("bytes", Integer.toString(bytes));
        params.put("segmentMib", Integer.toString(SEGMENT_MIB));
        params.put("provider", provider.name());
        // A quarter at most is filled before.
        long room = ((long) SEGMENT_MIB << 20) / 10 * 7;
        int iterations = 5;
        int size = BatchImage.batch(new byte[bytes], batch).length;
        int ops = (int) (room / size / iterations);
        int warmup = Math.min(WARMUP_RECORDS / batch, WARMUP_BYTES / size);
        Length length = Length.ofOps(2, warmup, iterations, ops);
        return new Case(
                (batch == 1 ? "append by " : "append 16 by ") + provider,
                "pmem",
                Durability.DURABLE,
                bytes,
                new Bench(PmemAppendBenchmark.class, subject, params, 1, batch, length),
                new Bench(PmemAppendFloor.class, floor, params, 1, batch, length));
    }

    private boolean report(List<Case> cases, Map<Bench, Sample> samples) {
        boolean met = true;
        for (Case line : cases) {
            Sample subject = samples.get(line.subject());
            String name =
                    line.name().replace(' ', '-').toLowerCase(Locale.ROOT) + "-" + line.bytes();
            Target ratio =
                    Target.atMost(
                            "pmem-" + name + "-to-floor",
                            subject.ns() / samples.get(line.beside()).ns(),
                            WANTED_RATIO);
            // JMH itself allocates some KiB in each iteration, beside the floor as well.
            double own = subject.bytes() - samples.get(line.beside()).bytes();
            Target allocated = Target.atMost("bytes-allocated-" + name, Math.floor(own + 0.5), 0);
            out.println(ratio);
            out.println(allocated);
            met &= ratio.isMet() && allocated.isMet();
        }
        return met;
    }
}
