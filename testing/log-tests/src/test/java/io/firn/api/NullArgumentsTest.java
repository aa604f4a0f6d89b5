package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.LogStore;
import io.firn.LogStore.MoveControl;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.file.FileTier;
import io.firn.host.HostedPartition;
import io.firn.medium.FileMedium;
import io.firn.open.StoreBuilder;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Who hands in null is told which parameter it was, at once, and nothing has happened. */
class NullArgumentsTest {
    @TempDir private Path directory;

    private static void assertRefused(String parameter, Executable call) {
        NullPointerException e = assertThrows(NullPointerException.class, call, parameter);
        assertEquals(parameter, e.getMessage());
    }

    @Test
    void shouldNameWhatIsNullWhenAStoreIsDescribed() {
        LogStoreBuilder builder = LogStore.at(directory);
        assertRefused("directory", () -> LogStore.at(null));
        assertRefused("tier", () -> builder.tier(null));
        assertRefused("label", () -> builder.tier(null, FileTier.at(directory)));
        assertRefused("tier", () -> builder.tier("a", null));
        builder.tier("a", FileTier.at(directory)); // the refused one did not take its label
        assertRefused("clock", () -> builder.clock(null));
        assertRefused("idleStrategy", () -> builder.idleStrategy(null));
        assertRefused("directory", () -> StoreBuilder.over(null, FileMedium.real()));
        assertRefused("medium", () -> StoreBuilder.over(directory, null));
        assertRefused("markInterval", () -> builder.markInterval(null));
        assertRefused("cursorInterval", () -> builder.cursorInterval(null));
        assertRefused("producerExpiry", () -> builder.producerExpiry(null));
        assertRefused("producerNameExpiry", () -> builder.producerNameExpiry(null));
        assertRefused("directory", () -> FileTier.at(null));
        assertRefused("directory", () -> FileTier.at(null));
        assertRefused("medium", () -> FileTier.at(directory).withMedium(null));
    }

    @Test
    void shouldNameWhatIsNullWhenAStoreIsUsed() {
        try (LogStore store = Stores.at(directory).open()) {
            assertRefused("name", () -> store.createTopic(null, Stores.small()));
            assertRefused("options", () -> store.createTopic("t", null));
            assertRefused("name", () -> store.openTopic(null));
            assertRefused("name", () -> store.ensureTopic(null, Stores.small()));
            assertRefused("options", () -> store.ensureTopic("t", null));
            assertRefused("name", () -> store.deleteTopic(null));
            assertRefused("topic", () -> store.migrate(null, 0, 0, "tier-0"));
            Topic topic = store.createTopic("t", Stores.small());
            assertRefused("options", () -> store.ensureTopic("t", null));
            assertRefused("tier", () -> store.migrate("t", 0, 0, null));
            assertRefused("control", () -> store.migrate("t", 0, 0, "tier-0", null));
            assertRefused(
                    "topic", () -> store.migrate(null, 0, 0, "tier-0", MoveControl.UNLIMITED));
            assertRefused("options", () -> topic.changeOptions(null));
            assertRefused(
                    "partitions",
                    () -> topic.openTailer(TailerOptions.defaults().withPartitions((int[]) null)));
            assertRefused("name", () -> topic.cursor(null));
            assertRefused("name", () -> topic.deleteCursor(null));
            Partition partition = topic.partition(0);
            assertRefused("listener", () -> HostedPartition.of(partition).addVisibleListener(null));
            assertRefused(
                    "listener", () -> HostedPartition.of(partition).removeVisibleListener(null));
            try (Tailer tailer = partition.openTailer()) {
                assertRefused("handler", () -> tailer.poll(null, 1));
                assertRefused("handler", () -> tailer.poll(null, 1, Duration.ZERO));
                assertRefused("timeout", () -> tailer.poll(r -> Action.CONTINUE, 1, null));
                assertRefused("cursor", () -> tailer.seekTo(null));
                assertRefused("consumer", () -> tailer.forEach(null, 1));
                assertRefused("handler", () -> tailer.run(null));
            }
        }
    }
}
