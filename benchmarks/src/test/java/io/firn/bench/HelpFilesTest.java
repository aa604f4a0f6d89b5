package io.firn.bench;

import io.firn.help.HelpFile;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The scripts answer --help with files, so that it needs no build. */
class HelpFilesTest {
    static Stream<Arguments> programs() {
        return Stream.of(
                Arguments.of("bench/micro", Micro.class),
                Arguments.of("bench/append-turns", AppendTurns.class),
                Arguments.of("bench/append-tail", io.firn.bench.peers.AppendTail.class),
                Arguments.of("bench/reads", Reads.class),
                Arguments.of("bench/reopen", Reopen.class),
                Arguments.of("bench/pmem", Pmem.class),
                Arguments.of("bench/pmem-turns", PmemTurns.class),
                Arguments.of("bench/pmem-reopen", Reopen.class),
                Arguments.of("bench/idle-embedded", EmbeddedIdleBench.class),
                Arguments.of("bench/idle-readers", IdleReaders.class),
                Arguments.of("bench/forces", Forces.class),
                Arguments.of("bench/commits", Commits.class),
                Arguments.of("bench/burst", Burst.class),
                Arguments.of("bench/stable", Stable.class),
                Arguments.of("bench/foreground", Foreground.class),
                Arguments.of("bench/compaction", Compaction.class),
                Arguments.of("bench/transaction-heap", TransactionHeap.class),
                Arguments.of("bench/server", io.firn.bench.kafka.ServerBench.class),
                Arguments.of("bench/tls", io.firn.bench.kafka.ServerBench.class),
                Arguments.of("bench/kafka", io.firn.bench.kafka.KafkaBench.class),
                Arguments.of("bench/groups", io.firn.bench.kafka.GroupsBench.class),
                Arguments.of("bench/idle", io.firn.bench.kafka.IdleBench.class),
                Arguments.of("bench/partitions", io.firn.bench.kafka.PartitionsBench.class),
                Arguments.of("bench/peers", io.firn.bench.peers.PeersBench.class),
                Arguments.of("bench/two-processes", io.firn.bench.peers.TwoProcessesBench.class));
    }

    @ParameterizedTest
    @MethodSource("programs")
    void shouldHaveTheHelpOfEachProgramInAFile(String name, Class<?> program) throws IOException {
        HelpFile.check(name, new CommandLine(program).getUsageMessage(Ansi.OFF));
    }
}
