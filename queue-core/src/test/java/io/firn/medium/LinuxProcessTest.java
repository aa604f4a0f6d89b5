package io.firn.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.firn.medium.FileMedium.Life;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Whether a process that a file names still runs. */
class LinuxProcessTest {

    @Test
    void shouldKnowWhetherAProcessRuns() throws Exception {
        LinuxProcess self = LinuxProcess.current();
        assumeTrue(self != null, "not Linux");
        assertEquals(self, LinuxProcess.parse(self.toString()));
        assertEquals(Life.RUNS, self.life());
        assertEquals(
                Life.ENDED,
                new LinuxProcess(self.pid(), self.started() + 1, self.namespace()).life(),
                "its number was given to another process");
        assertEquals(
                Life.UNKNOWN,
                new LinuxProcess(self.pid(), self.started(), "pid:[1]").life(),
                "in another container");
        Process child = new ProcessBuilder("sleep", "600").start();
        try {
            LinuxProcess known = new LinuxProcess(child.pid(), startOf(child), self.namespace());
            assertEquals(Life.RUNS, known.life());
            child.destroyForcibly().waitFor();
            assertEquals(Life.ENDED, known.life());
        } finally {
            child.destroyForcibly();
        }
    }

    private static long startOf(Process process) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
        return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[19]);
    }

    @Test
    void shouldReadNothingElseAsAProcess() {
        assertNull(LinuxProcess.parse("unknown"));
        assertNull(LinuxProcess.parse("pid x started 1 in pid:[1]"));
    }
}
