package io.firn.server;

import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.file.FileTier;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import io.firn.server.config.ServerConfig;
import io.firn.spi.StorageTier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Opens the store that a configuration describes: its directory and its tiers. */
final class Storage {
    private Storage() {}

    static LogStore open(ServerConfig config) {
        LogStoreBuilder store = LogStore.in(config.directory().resolve("firn"));
        tiers(config).forEach(store::tier);
        return store.open();
    }

    private static List<StorageTier> tiers(ServerConfig config) {
        List<StorageTier> tiers = new ArrayList<>();
        if (config.has("storage.tiers")) {
            for (String each : config.list("storage.tiers")) {
                tiers.add(tier(config, each));
            }
            return tiers;
        }
        String type = config.text("log.channel.type");
        if (type.equals("file")) {
            tiers.add(FileTier.at(config.directory().resolve("segments")));
        } else {
            Path[] pools =
                    config.list("storage.pmem.path").stream()
                            .map(path -> Path.of(path).resolve("firn-pool"))
                            .toArray(Path[]::new);
            tiers.add(pmem(config, pools));
            if (type.equals("mix")) {
                tiers.add(
                        FileTier.at(Path.of(config.text("storage.hdd.path")).resolve("segments")));
            }
        }
        return tiers;
    }

    private static StorageTier tier(ServerConfig config, String text) {
        int colon = text.indexOf(':');
        String kind = colon < 0 ? text : text.substring(0, colon);
        if (colon < 0 || colon == text.length() - 1) {
            throw new InvalidOptionException(
                    "storage.tiers is to name KIND:PATH, such as pmem:/mnt/pmem,file:/data; found '"
                            + text
                            + "'");
        }
        Path path = Path.of(text.substring(colon + 1));
        return switch (kind) {
            case "file" -> FileTier.at(path);
            case "pmem" -> pmem(config, path);
            default ->
                    throw new InvalidOptionException(
                            "storage.tiers knows pmem and file, not '" + kind + "'");
        };
    }

    private static StorageTier pmem(ServerConfig config, Path... pools) {
        PmemTier.Builder tier =
                PmemTier.builder(pools)
                        .capacityBytes(config.number("storage.pmem.size"))
                        .poolRatio(config.decimal("log.pmem.pool.ratio"));
        if (config.flag("storage.pmem.emulate")) {
            tier.emulation(Emulation.PLAIN);
        }
        return tier.build();
    }
}
