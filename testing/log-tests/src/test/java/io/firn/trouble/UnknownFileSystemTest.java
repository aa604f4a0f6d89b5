package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Survives;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A tier on a file system of which Firn does not know what a force survives. */
class UnknownFileSystemTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final TopicOptions SAFE =
            TopicOptions.defaults().withMinimumClass(Survives.POWER_LOSS);

    private final SimulatedFileMedium simulated = new SimulatedFileMedium();
    private final List<String> logged = new ArrayList<>();
    private final Handler handler =
            new Handler() {
                @Override
                public void publish(LogRecord record) {
                    logged.add(record.getMessage());
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    /** What is below these paths is on a network file system. */
    private static final class Network extends FilterFileMedium {
        private final Path mounted;

        Network(SimulatedFileMedium in, Path mounted) {
            super(in);
            this.mounted = mounted;
        }

        @Override
        public Survives survives(Path path) {
            return unknownFileSystem(path) == null ? Survives.POWER_LOSS : Survives.PROCESS_CRASH;
        }

        @Override
        public String unknownFileSystem(Path path) {
            return path.startsWith(mounted) ? "nfs4" : null;
        }
    }

    @BeforeEach
    void listen() {
        LOG.setLevel(Level.WARNING);
        LOG.addHandler(handler);
    }

    @AfterEach
    void stop() {
        LOG.removeHandler(handler);
        LOG.setLevel(null);
    }

    private FileTier tier(String name, String mounted) {
        Path directory = Path.of("/sim").resolve(name);
        return FileTier.at(directory).withMedium(new Network(simulated, Path.of(mounted)));
    }

    private LogStore open(FileTier... tiers) {
        StoreBuilder builder = StoreBuilder.over(Path.of("/sim/store"), simulated);
        for (FileTier each : tiers) {
            builder.tier(each);
        }
        return builder.invokerMode().open();
    }

    private static Survives classOf(LogStore store, int tier) {
        return store.metrics().tiers().get(tier).survives();
    }

    @Test
    void shouldWarnOfAFileSystemThatIsNotKnownAndClaimLess() {
        try (LogStore store = open(tier("a", "/sim"))) {
            assertEquals(Survives.PROCESS_CRASH, classOf(store, 0));
            String warning = String.join("\n", logged);
            assertTrue(warning.contains("nfs4"), warning);
            assertTrue(warning.contains("withDeclaredDurable"), warning);
            Disk.append(Disk.partition(store), 2);
            InvalidOptionException refused =
                    assertThrows(
                            InvalidOptionException.class, () -> store.createTopic("safe", SAFE));
            assertTrue(refused.getMessage().contains("withDeclaredDurable"), refused.getMessage());
            assertEquals(List.of(), store.findings());
        }
    }

    @Test
    void shouldBelieveWhatIsDeclared() {
        try (LogStore store = open(tier("a", "/sim").withDeclaredDurable())) {
            assertEquals(Survives.POWER_LOSS, classOf(store, 0));
            store.createTopic("safe", SAFE);
            assertEquals(List.of(), logged);
        }
    }

    @Test
    void shouldGoOnWithTopicsThatWereCreatedWhenAllFileSystemsCounted() {
        try (LogStore store = open(tier("a", "/known"))) {
            Disk.append(Disk.partition(store), 2);
            assertEquals(Survives.POWER_LOSS, store.openTopic(Disk.TOPIC).options().minimumClass());
        }
        try (LogStore store = open(tier("a", "/sim"))) {
            Disk.append(Disk.partition(store), 20);
            assertEquals(22, Disk.partition(store).nextOffset());
            String findings = store.findings().toString();
            assertTrue(findings.contains("nfs4"), findings);
            assertTrue(findings.contains("withDeclaredDurable"), findings);
            assertTrue(findings.contains("stored there nevertheless"), findings);
        }
        try (LogStore store = open(tier("a", "/sim").withDeclaredDurable())) {
            assertEquals(List.of(), store.findings());
        }
    }

    @Test
    void shouldStoreATopicOnlyWhereItsClassIsKnownIfThereIsSuchATier() {
        try (LogStore store = open(tier("a", "/known"), tier("b", "/known"))) {
            Disk.append(Disk.partition(store), 14);
        }
        try (LogStore store = open(tier("a", "/known"), tier("b", "/sim/b"))) {
            Disk.append(Disk.partition(store), 2);
            String findings = store.findings().toString();
            assertTrue(findings.contains("no more of it is stored there"), findings);
            assertThrows(
                    InvalidOptionException.class, () -> store.migrate(Disk.TOPIC, 0, 0, "tier-1"));
        }
    }

    /** As a store that was copied into memory. */
    @Test
    void shouldRefuseAppendsAndReadWhereNoTierHasTheClassOfATopic() {
        try (LogStore store = open(tier("a", "/known"))) {
            Disk.append(Disk.partition(store), 2);
        }
        FileMedium memory =
                new FilterFileMedium(simulated) {
                    @Override
                    public Survives survives(Path path) {
                        return Survives.PROCESS_CRASH;
                    }
                };
        try (LogStore store = open(FileTier.at(Path.of("/sim/a")).withMedium(memory))) {
            Partition partition = store.openTopic(Disk.TOPIC).partition(0);
            FirnException refused =
                    assertThrows(FirnException.class, () -> Disk.append(partition, 20));
            assertTrue(refused.getMessage().contains("POWER_LOSS"), refused.getMessage());
            assertTrue(partition.nextOffset() >= 2);
            try (Tailer tailer = partition.openTailer()) {
                tailer.seek(0);
                assertEquals(2, tailer.poll(each -> Action.CONTINUE, 2));
            }
        }
    }
}
