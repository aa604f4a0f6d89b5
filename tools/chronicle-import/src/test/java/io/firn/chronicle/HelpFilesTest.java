package io.firn.chronicle;

import io.firn.help.HelpFile;
import io.firn.tools.Firn;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The scripts answer --help with files, so that it needs no build. */
class HelpFilesTest {
    /** All of {@code firn}: here is everything that it consists of. */
    @Test
    void shouldHaveTheHelpOfEachCommandInAFile() throws IOException {
        Map<String, CommandLine> commands = new LinkedHashMap<>();
        collect("", Firn.commandLine(), commands);
        for (Map.Entry<String, CommandLine> each : commands.entrySet()) {
            HelpFile.check("firn/" + each.getKey(), each.getValue().getUsageMessage(Ansi.OFF));
        }
        HelpFile.checkNoOthers("firn", new HashSet<>(commands.keySet()));
    }

    /** A command of a command has the names of both. */
    private static void collect(String above, CommandLine line, Map<String, CommandLine> commands) {
        String name = above + line.getCommandName();
        commands.put(name, line);
        String prefix = above.isEmpty() && name.equals("firn") ? "" : name + "-";
        line.getSubcommands().values().forEach(each -> collect(prefix, each, commands));
    }

    @Test
    void shouldHaveTheHelpOfTheKillsInAFile() throws IOException {
        HelpFile.check(
                "check/import", new CommandLine(ImportKills.class).getUsageMessage(Ansi.OFF));
    }
}
