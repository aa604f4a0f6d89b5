package io.firn.pmem;

import io.firn.spi.Block;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A process whose open pool is cut below a segment that is about to be finished. */
final class CuttingChild {
    private CuttingChild() {}

    static Process start(Path pool, Provider provider, Path output) throws IOException {
        List<String> command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:-CreateCoredumpOnCrash",
                        "-XX:ErrorFile=" + output.resolveSibling("hs_err"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        CuttingChild.class.getName(),
                        pool.toString(),
                        provider.name());
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    public static void main(String[] arguments) throws IOException {
        Path directory = Path.of(arguments[0]);
        Provider provider = Provider.valueOf(arguments[1]);
        try (PmemTier tier = Pools.open(Pools.withBlocks(1, directory).withProvider(provider))) {
            Block segment = Pools.seal(Pools.fill(Pools.reserve(tier, 1), 100));
            PoolDamage.setLength(directory, PoolFormat.ALIGNMENT);
            try {
                segment.finishSeal(Pools.bytes(1, 800), Pools.bytes(2, 120));
                System.out.println("finished in memory that is gone");
            } catch (IOException e) {
                System.out.println("refused: " + e.getMessage());
            }
        }
        Files.deleteIfExists(directory.resolve(PoolFile.NAME));
    }
}
