package io.firn.server;

import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.budget.HeapBudget;
import io.firn.file.FileTier;
import io.firn.medium.WithoutLinks;
import io.firn.migrator.MigrationPolicy;
import io.firn.migrator.Migrator;
import io.firn.migrator.Policies;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import io.firn.server.config.ServerConfig;
import io.firn.spi.StorageTier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The storage of a server process, as its configuration describes it: a store with its tiers, and
 * the migrator that moves segments between them.
 */
final class Storage implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final String CREATE_BESIDE_UNREADABLE = "firn.create.topics.beside.unreadable";
    private static final String SEGMENTS = "segments";
    private static final long WHOLE_FILE_SYSTEM = -1;
    private static final double NO_MOVES = -1;
    private static final Pattern TIER =
            Pattern.compile("(pmem|file):(.+?)(?:@([1-9][0-9]{0,17}))?");

    private final LogStore store;
    private final Migrator migrator;
    private final TierDrains drains;
    private final RegisteredBean metrics;
    private final RegisteredBean tiers;

    private Storage(LogStore store, Migrator migrator) {
        this.store = store;
        this.migrator = migrator;
        this.drains = new TierDrains(store);
        String name = store.directory().toString();
        this.metrics = RegisteredBean.register(new MigratorMetrics(migrator), "Migrator", name);
        this.tiers = RegisteredBean.register(drains, "Tiers", name);
    }

    /** Returns what clients can fill the memory of a server with that has such a store. */
    static MemoryPlan memory(ServerConfig config) {
        MemoryPlan plan = MemoryPlan.of(config);
        String partitions = "firn.max.partitions";
        if (config.has(partitions)) {
            long bytes = HeapBudget.PARTITIONS.bytesOfCount(config.integer(partitions));
            plan = plan.with(config, partitions, HeapBudget.PARTITIONS, bytes);
        }
        String compaction = "log.cleaner.dedupe.buffer.size";
        return plan.with(config, compaction, HeapBudget.COMPACTION, config.integer(compaction));
    }

    static Storage open(ServerConfig config) {
        double threshold = config.decimal("storage.migrate.threshold");
        boolean moves = threshold != NO_MOVES;
        // Before anything is opened: it may be invalid.
        MigrationPolicy policy = moves ? Policies.threshold(threshold) : Policies.none();
        List<StorageTier> tiers = tiers(config);
        LogStoreBuilder builder = LogStore.at(child(config, config.directory(), "firn"));
        tiers.forEach(builder::tier);
        boolean createsBeside = config.flag(CREATE_BESIDE_UNREADABLE);
        if (config.has("firn.max.partitions")) {
            builder.maxPartitions(config.integer("firn.max.partitions"));
        }
        if (ServerFiles.mayBeLinked(config)) {
            builder.allowLinkedDirectories();
        }
        if (createsBeside) {
            builder.createTopicsBesideUnreadableOnes();
        }
        builder.compactionMemory(config.integer("log.cleaner.dedupe.buffer.size"));
        builder.compactionRate((long) config.decimal("log.cleaner.io.max.bytes.per.second"));
        builder.scrubPeriod(Duration.ofMillis(config.number("storage.scrub.period.ms")));
        builder.producerNameExpiry(
                Duration.ofMillis(config.integer("transactional.id.expiration.ms")));
        LogStore store = builder.open();
        if (!store.unreadableTopics().isEmpty()) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "clients receive KAFKA_STORAGE_ERROR for topics that cannot be read: "
                            + store.unreadableTopics().values()
                            + (createsBeside
                                    ? ""
                                    : "; until they can be read no topic is created for clients,"
                                            + " unless the server is started with "
                                            + CREATE_BESIDE_UNREADABLE
                                            + "=true"));
        }
        try {
            Migrator migrator =
                    Migrator.of(store)
                            .policy(policy)
                            .threads(config.integer("storage.migrate.threads"))
                            .open();
            if (tiers.size() > 1 && moves) {
                migrator.start();
            }
            return new Storage(store, migrator);
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }

    LogStore store() {
        return store;
    }

    /** Stops what moves segments before it closes the store. */
    @Override
    public void close() {
        metrics.close();
        tiers.close();
        drains.close();
        migrator.close();
        store.close();
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
            tiers.add(file(config, child(config, config.directory(), SEGMENTS)));
        } else {
            Path[] pools =
                    config.list("storage.pmem.path").stream()
                            .map(path -> child(config, Path.of(path), "firn-pool"))
                            .toArray(Path[]::new);
            tiers.add(pmem(config, config.number("storage.pmem.size"), pools));
            if (type.equals("mix")) {
                tiers.add(
                        file(
                                config,
                                child(config, Path.of(config.text("storage.hdd.path")), SEGMENTS)));
            }
        }
        return tiers;
    }

    /** Returns the directories of the tiers that are files. */
    static List<Path> fileTiers(ServerConfig config) {
        if (config.has("storage.tiers")) {
            return config.list("storage.tiers").stream()
                    .map(TIER::matcher)
                    .filter(each -> each.matches() && each.group(1).equals("file"))
                    .map(each -> Path.of(each.group(2)))
                    .toList();
        }
        return switch (config.text("log.channel.type")) {
            case "file" -> List.of(config.directory().resolve(SEGMENTS));
            case "mix" -> List.of(Path.of(config.text("storage.hdd.path")).resolve(SEGMENTS));
            default -> List.of();
        };
    }

    private static Path child(ServerConfig config, Path named, String name) {
        return WithoutLinks.child(named, name, ServerFiles.mayBeLinked(config));
    }

    private static StorageTier tier(ServerConfig config, String text) {
        Matcher matcher = TIER.matcher(text);
        if (!matcher.matches()) {
            throw new InvalidOptionException(
                    "storage.tiers must name KIND:PATH or KIND:PATH@BYTES, the kinds being pmem"
                            + " and file, such as pmem:/mnt/pmem,file:/ssd@500000000000,file:/hdd;"
                            + " found '"
                            + text
                            + "'");
        }
        Path path = Path.of(matcher.group(2));
        String bytes = matcher.group(3);
        if (matcher.group(1).equals("pmem")) {
            long size = bytes == null ? config.number("storage.pmem.size") : Long.parseLong(bytes);
            return pmem(config, size, path);
        }
        FileTier file = file(config, path);
        return bytes == null ? file : file.withCapacityBytes(Long.parseLong(bytes));
    }

    private static FileTier file(ServerConfig config, Path path) {
        FileTier file = FileTier.at(path);
        if (ServerFiles.mayBeLinked(config)) {
            file = file.withLinkedDirectories();
        }
        return config.flag("storage.declare.durable") ? file.withDeclaredDurable() : file;
    }

    private static StorageTier pmem(ServerConfig config, long size, Path... pools) {
        PmemTier tier = PmemTier.at(pools).withPoolRatio(config.decimal("log.pmem.pool.ratio"));
        if (size != WHOLE_FILE_SYSTEM) {
            tier = tier.withCapacityBytes(size);
        }
        if (config.has("storage.pmem.block.size")) {
            tier = tier.withBlockBytes(config.integer("storage.pmem.block.size"));
        }
        if (config.flag("storage.pmem.emulate")) {
            tier = tier.withEmulation(Emulation.PLAIN);
        }
        return tier;
    }
}
