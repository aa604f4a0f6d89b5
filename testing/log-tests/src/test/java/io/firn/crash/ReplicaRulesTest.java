package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.Compression;
import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.host.HostedPartition;
import io.firn.host.ReplicaAppender;
import io.firn.kafka.SourceLog;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Rules of replicated topics whose breach takes a certain crash. */
class ReplicaRulesTest {
    private static final int PAGE = 4096;
    private static final int MIB = 1 << 20;
    private static final TopicOptions OPTIONS =
            Simulation.SMALL_WRITTEN
                    .withSegmentBytes(4 * MIB)
                    .withMaxRecordBytes(2 * MIB)
                    .withReplicated(true);

    private final SimulatedFileMedium medium = new SimulatedFileMedium();

    @BeforeAll
    static void silence() {
        Simulation.silenceLog();
    }

    private static ReplicaAppender open(LogStore store) {
        return HostedPartition.of(store.ensureTopic("t", OPTIONS).partition(0))
                .openReplicaAppender();
    }

    private static void replicate(LogStore store, SourceLog source, ReplicaAppender appender) {
        while (appender.nextOffset() < source.nextOffset()) {
            if (appender.append(source.fetch(appender.nextOffset(), 1)) == 0) {
                store.doWork();
            }
        }
    }

    private static int size(SourceLog source) {
        return source.batches().stream().mapToInt(batch -> batch.bytes().length).sum();
    }

    /** Appends a batch whose end is the end of a page, when so much was stored before. */
    private static SourceLog upToPage(SourceLog source, char filledWith) {
        int before = size(source);
        int length = MIB + MIB / 4;
        String probe = String.valueOf(filledWith).repeat(length);
        int size =
                new SourceLog(0, 0).append(Compression.NONE, probe).batches().get(0).bytes().length;
        length += PAGE - (before + size) % PAGE;
        source.append(Compression.NONE, String.valueOf(filledWith).repeat(length));
        assertEquals(0, size(source) % PAGE);
        return source;
    }

    /**
     * O27: without clean ground above the cut ({@code UnsealedSegment.makeDurable}) a batch that a
     * crash cut off comes back behind one of another leader, whose epoch may be lower.
     */
    @Test
    void shouldNotTakeABatchOfAnEarlierTermForOneOfThis() {
        SourceLog source = new SourceLog(0, 1).append(Compression.NONE, "a");
        LogStore first = new Simulation(medium).open();
        ReplicaAppender appender = open(first);
        replicate(first, source, appender);
        appender.force();
        int from = size(source);
        upToPage(source.epoch(3), 'b');
        int pages = size(source) / PAGE - from / PAGE;
        source.append(Compression.NONE, "c");
        replicate(first, source, appender);
        SimulatedFileMedium torn = medium.crash(Survival.pages(page -> page == pages));

        SourceLog elected = new SourceLog(0, 1).append(Compression.NONE, "a");
        upToPage(elected.epoch(2), 'B');
        LogStore second = new Simulation(torn).open();
        ReplicaAppender again = open(second);
        assertEquals(1, again.nextOffset());
        replicate(second, elected, again);
        SimulatedFileMedium left = torn.crash(Survival.pages(page -> page < pages));
        try (LogStore third = new Simulation(left).open()) {
            assertEquals(2, open(third).nextOffset(), "another leader's batch is at offset 2");
        }
    }
}
