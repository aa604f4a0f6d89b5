package io.firn.crashlab;

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
                Arguments.of("check/crashlab", CrashLab.class),
                Arguments.of("check/mutants", io.firn.mutants.Mutants.class));
    }

    @ParameterizedTest
    @MethodSource("programs")
    void shouldHaveTheHelpOfEachProgramInAFile(String name, Class<?> program) throws IOException {
        HelpFile.check(name, new CommandLine(program).getUsageMessage(Ansi.OFF));
    }
}
