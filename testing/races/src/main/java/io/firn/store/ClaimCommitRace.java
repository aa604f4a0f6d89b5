package io.firn.store;

import io.firn.Claim;
import io.firn.Durability;
import io.firn.ExclusiveAppender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A committed claim is read completely and at its offset; an aborted one is never read. */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "not visible yet")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "visible and complete")
@Outcome(expect = Expect.FORBIDDEN, desc = "torn, aborted, or out of order")
@State
public class ClaimCommitRace {
    private static final int WORDS = 12;
    private static final int MIB = 1 << 20;
    private static final Log LOG = new Log();

    /** One log for all runs: neither the writer nor the reader runs concurrently with itself. */
    private static final class Log {
        final ExclusiveAppender appender;
        final Tailer tailer;
        long nextRead;

        Log() {
            try {
                Path directory = Files.createTempDirectory(Path.of("."), "races");
                LogStore store =
                        LogStore.at(directory.resolve("store"))
                                .tier(FileTier.at(directory.resolve("segments")))
                                .open();
                TopicOptions options =
                        TopicOptions.defaults()
                                .withDurability(Durability.WRITTEN)
                                .withSegmentBytes(8 * MIB)
                                .withRetentionBytes(64 * MIB);
                Partition partition = store.createTopic("t", options).partition(0);
                appender = partition.openExclusiveAppender();
                tailer = partition.openTailer();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void fill(Claim claim, long value) {
        for (int i = 0; i < WORDS; i++) {
            claim.buffer().putLong(value);
        }
    }

    /** The writer: aborts one claim and commits another. */
    @Actor
    public void append(II_Result result) {
        Claim claim;
        while ((claim = LOG.appender.tryClaim(WORDS * Long.BYTES)) == null) {
            Thread.onSpinWait();
        }
        fill(claim, -1);
        claim.abort();
        while ((claim = LOG.appender.tryClaim(WORDS * Long.BYTES)) == null) {
            Thread.onSpinWait();
        }
        fill(claim, claim.offset());
        result.r1 = claim.commit() >= 0 ? 1 : 0;
    }

    /** The reader. */
    @Actor
    public void poll(II_Result result) {
        LOG.tailer.poll(
                record -> {
                    boolean right = record.valueLength() == WORDS * Long.BYTES;
                    right &= record.offset() >= LOG.nextRead;
                    ByteBuffer value = record.value();
                    for (int i = 0; right && i < WORDS; i++) {
                        right = value.getLong() == record.offset();
                    }
                    LOG.nextRead = record.offset() + 1;
                    result.r2 = right ? 1 : -1;
                    return Action.STOP;
                },
                1);
    }
}
