package io.firn.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What is found on machines on which one thing is wrong. */
class DoctorTest {
    @TempDir Path directory;
    private Path machine;
    private Path store;

    @BeforeEach
    void createAMachineOnWhichAllIsWell() throws IOException {
        machine = directory.resolve("machine");
        store = Files.createDirectory(directory.resolve("orders"));
        Files.createFile(store.resolve("0.log"));
        file("proc/self/limits", "Max open files            1048576    1048576    files\n");
        file("proc/sys/vm/max_map_count", "262144\n");
        file("proc/self/smaps", "KernelPageSize:        4 kB\n");
        file("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
        file("sys/dev/block/8:1/queue/write_cache", "write back\n");
        file("run/systemd/timesync/synchronized", "");
        mount("ext4 /dev/sda1 rw");
    }

    private void file(String name, String text) throws IOException {
        Path file = machine.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private void mount(String typeSourceOptions) throws IOException {
        file("proc/self/mountinfo", "30 1 8:1 / / rw,relatime shared:1 - " + typeSourceOptions);
    }

    private Run doctor(Object... more) {
        Object[] arguments = new Object[more.length + 1];
        arguments[0] = store;
        System.arraycopy(more, 0, arguments, 1, more.length);
        return Run.of(new DoctorCommand(new Machine(machine)), arguments);
    }

    private void assertFinds(String... lines) {
        Run run = doctor();
        assertEquals(Exit.FOUND, run.exitCode(), run.toString());
        for (String each : lines) {
            assertTrue(run.out().contains(each), each + " in " + run.out());
        }
        assertEquals(1, run.out().split("WRONG", -1).length - 1, run.out());
    }

    @Test
    void shouldFindNothingWhereAllIsWell() {
        Run run = doctor();
        assertEquals(Exit.FINE, run.exitCode(), run.toString());
        assertTrue(run.out().contains("OK     descriptors: 1048576 open files"), run.out());
        assertTrue(run.out().contains("cache: write back, barriers on"), run.out());
        assertTrue(doctor("--json").out().startsWith("{\"checks\":[{\"check\":\"descriptors\""));
    }

    @Test
    void shouldFindLowLimits() throws IOException {
        file("proc/self/limits", "Max open files            1024    1048576    files\n");
        assertFinds("WRONG  descriptors: 1024 open files", "fix: ulimit -n 1048576");
        createAMachineAgain();
        file("proc/sys/vm/max_map_count", "1\n");
        assertFinds("WRONG  vm.max_map_count", "fix: sysctl -w vm.max_map_count=262144");
    }

    private void createAMachineAgain() throws IOException {
        Files.delete(store.resolve("0.log"));
        Files.delete(store);
        createAMachineOnWhichAllIsWell();
    }

    @Test
    void shouldFindMountsThatLoseRecords() throws IOException {
        mount("ext4 /dev/sda1 rw,nobarrier");
        assertFinds("without barriers", "fix: mount -o remount,barrier=1 /");
        mount("ext4 /dev/sda1 ro");
        assertFinds("read-only", "fix: mount -o remount,rw /");
        mount("ext4 /dev/pmem0 rw");
        assertFinds("WRONG  DAX", "fix: mount -o dax /dev/pmem0 /");
        mount("ext4 /dev/pmem0 rw,dax=always");
        assertEquals(Exit.FINE, doctor().exitCode());
    }

    @Test
    void shouldFindRightsOfOthersAndTimesToCome() throws IOException {
        Files.setPosixFilePermissions(store, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertFinds("WRONG  permissions", "fix: chmod -R go-w " + store);
        Files.setPosixFilePermissions(store, PosixFilePermissions.fromString("rwx------"));
        Files.setLastModifiedTime(
                store.resolve("0.log"), FileTime.from(Instant.now().plus(Duration.ofDays(1))));
        assertFinds("WRONG  times in", "1 files were changed at a time that is still to come");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldReadWhatTheKernelSays() {
        Machine real = new Machine(Path.of("/"));
        assertTrue(real.mappings().orElseThrow() >= 1_000, real.mappings().toString());
        assertTrue(real.pageBytes().orElseThrow() >= 4_096);
        assertTrue(real.openFiles().orElseThrow() >= 100);
    }

    @Test
    void shouldSayThatADirectoryIsMissing() {
        Run run = Run.firn("doctor", directory.resolve("none"));
        assertEquals(Exit.MISUSED, run.exitCode(), run.toString());
    }
}
