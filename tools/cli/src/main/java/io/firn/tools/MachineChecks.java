package io.firn.tools;

import io.firn.Survives;
import io.firn.medium.FileMedium;
import io.firn.tools.Machine.Mount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What is checked of a machine, and of the file systems of some directories. */
final class MachineChecks {
    private static final long ENOUGH_FILES = 65_536;
    private static final long ENOUGH_MAPPINGS = 262_144;
    private static final long USUAL_PAGE = 4_096;
    private static final double LITTLE_SPACE = 0.05;
    private static final Duration AHEAD = Duration.ofMinutes(1);
    private static final Set<String> SLOW_CLOCKS =
            Set.of("hpet", "acpi_pm", "jiffies", "refined-jiffies");

    private final Machine machine;
    private final List<Path> directories;
    private final List<Check> checks = new ArrayList<>();

    MachineChecks(Machine machine, List<Path> directories) {
        this.machine = machine;
        this.directories = directories;
    }

    List<Check> run() throws IOException {
        descriptors();
        mappings();
        pages();
        clock();
        for (Path each : directories) {
            fileSystem(each);
            space(each);
            permissions(each);
            times(each);
        }
        return checks;
    }

    private void descriptors() {
        OptionalLong most = machine.openFiles();
        if (most.isEmpty()) {
            return;
        }
        String found = most.getAsLong() + " open files";
        checks.add(
                most.getAsLong() >= ENOUGH_FILES
                        ? Check.ok("descriptors", found)
                        : Check.wrong(
                                "descriptors",
                                found + "; " + ENOUGH_FILES + " or more are expected",
                                "A partition that is written needs 2, a connection 1; without them"
                                        + " appends wait and are refused",
                                "ulimit -n 1048576; of a systemd unit LimitNOFILE=1048576"));
    }

    private void mappings() throws IOException {
        OptionalLong most = machine.mappings();
        if (most.isEmpty()) {
            return;
        }
        long files = 0;
        for (Path each : directories) {
            files += count(each, path -> path.toString().matches(".*\\.(log|active)"));
        }
        long needed = 2 * files; // a segment may be mapped by the writer and a reader
        String found = most.getAsLong() + " mappings for " + files + " segments";
        if (most.getAsLong() < needed) {
            checks.add(
                    Check.wrong(
                            "vm.max_map_count",
                            found,
                            "A segment that is written or read is mapped; without mappings reads and"
                                    + " appends fail",
                            "sysctl -w vm.max_map_count=" + Math.max(ENOUGH_MAPPINGS, 2 * needed)));
        } else if (most.getAsLong() < ENOUGH_MAPPINGS) {
            checks.add(
                    Check.note(
                            "vm.max_map_count",
                            found,
                            "It is enough now, but not for tens of thousands of segments",
                            "sysctl -w vm.max_map_count=" + ENOUGH_MAPPINGS));
        } else {
            checks.add(Check.ok("vm.max_map_count", found));
        }
    }

    private static long count(Path directory, Predicate<Path> chosen) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(chosen).count();
        } catch (java.io.UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void pages() {
        OptionalLong bytes = machine.pageBytes();
        if (bytes.isPresent()) {
            checks.add(
                    bytes.getAsLong() == USUAL_PAGE
                            ? Check.ok("page size", bytes.getAsLong() + " bytes")
                            : Check.note(
                                    "page size",
                                    bytes.getAsLong() + " bytes",
                                    "A small durable append writes a whole page, so it costs more"
                                            + " than with pages of 4096 bytes",
                                    null));
        }
    }

    private void clock() {
        String source = machine.clockSource();
        if (source != null) {
            checks.add(
                    SLOW_CLOCKS.contains(source)
                            ? Check.note(
                                    "clock source",
                                    source,
                                    "Reading it is a call of the device, and each append reads it",
                                    "echo tsc >"
                                            + " /sys/devices/system/clocksource/clocksource0/current_clocksource")
                            : Check.ok("clock source", source));
        }
        Boolean isSynchronized = machine.isClockSynchronized();
        if (isSynchronized == null || isSynchronized) {
            checks.add(
                    isSynchronized == null
                            ? Check.note(
                                    "clock",
                                    "it is not known whether it is synchronized",
                                    "Retention by age and offsets by time go by timestamps",
                                    "see chronyc tracking or ntpq -p")
                            : Check.ok("clock", "synchronized"));
        } else {
            checks.add(
                    Check.wrong(
                            "clock",
                            "not synchronized",
                            "Retention by age and offsets by time go by timestamps: a clock that is"
                                    + " wrong deletes too early or too late",
                            "timedatectl set-ntp true"));
        }
    }

    private void fileSystem(Path directory) throws IOException {
        String subject = "file system of " + directory;
        Mount mount = machine.mountOf(directory);
        if (mount == null) {
            checks.add(Check.note(subject, "the system does not say", null, null));
            return;
        }
        String found = mount.type() + " on " + mount.source() + ", mounted at " + mount.point();
        String unknown = FileMedium.real().unknownFileSystem(directory);
        String remount = "mount -o remount,%s " + mount.point();
        if (mount.has("ro")) {
            checks.add(
                    Check.wrong(
                            subject,
                            found + " read-only",
                            "Nothing can be appended. A file system that has found an error is"
                                    + " mounted so by itself: see dmesg",
                            remount.formatted("rw")));
        } else if (mount.has("nobarrier") || mount.has("barrier=0")) {
            checks.add(
                    Check.wrong(
                            subject,
                            found + " without barriers",
                            "A force does not empty the cache of the device: a power failure loses"
                                    + " acknowledged records",
                            remount.formatted("barrier=1")));
        } else if (unknown != null) {
            checks.add(
                    Check.wrong(
                            subject,
                            found,
                            "It is not known what a force survives on " + unknown,
                            "use ext4 or xfs on a device of this machine, or declare it"
                                    + " (storage.declare.durable=true)"));
        } else if (FileMedium.real().survives(directory) != Survives.POWER_LOSS) {
            checks.add(
                    Check.wrong(
                            subject,
                            found,
                            "It is in memory: a power failure or a restart of the machine loses"
                                    + " everything",
                            "put the store on a device"));
        } else {
            checks.add(Check.ok(subject, found));
            device(directory, mount);
        }
    }

    private void device(Path directory, Mount mount) {
        boolean isPmem = mount.source().contains("pmem");
        boolean isDax = mount.options().stream().anyMatch(each -> each.matches("dax(=always)?"));
        if (isPmem && !isDax) {
            checks.add(
                    Check.wrong(
                            "DAX of " + directory,
                            "persistent memory, mounted without DAX",
                            "A pool needs it: stores to a mapping reach the medium without the page"
                                    + " cache",
                            "mount -o dax " + mount.source() + " " + mount.point()));
        } else if (isDax) {
            checks.add(Check.ok("DAX of " + directory, "mounted with DAX"));
        } else {
            String cache = machine.writeCache(mount);
            if (cache != null) {
                checks.add(Check.ok("device of " + directory, "cache: " + cache + ", barriers on"));
            }
        }
    }

    private void space(Path directory) throws IOException {
        double free = Machine.free(directory);
        String found = Math.round(free * 1000) / 10.0 + " % free";
        checks.add(
                free >= LITTLE_SPACE
                        ? Check.ok("space of " + directory, found)
                        : Check.wrong(
                                "space of " + directory,
                                found,
                                "When no segment can be created, appends are refused",
                                "df -h "
                                        + directory
                                        + "; then lower retention.bytes, or add space or a tier"));
    }

    private void permissions(Path directory) {
        String subject = "permissions of " + directory;
        String rights = FileMedium.real().writableByOthers(directory);
        String owner = FileMedium.real().foreignOwner(directory);
        if (rights != null) {
            checks.add(
                    Check.wrong(
                            subject,
                            rights,
                            "Others can change or delete records",
                            "chmod -R go-w " + directory));
        } else if (!Files.isWritable(directory)) {
            checks.add(
                    Check.wrong(
                            subject,
                            "this user cannot write there",
                            "The process that writes the store has to",
                            "chown -R " + System.getProperty("user.name") + " " + directory));
        } else if (owner != null) {
            checks.add(
                    Check.note(
                            subject,
                            "it belongs to " + owner,
                            "Files that this user creates there belong to another user than the rest",
                            "run as " + owner));
        } else {
            checks.add(Check.ok(subject, "only its owner can write"));
        }
    }

    private void times(Path directory) throws IOException {
        Instant latest = Instant.now().plus(AHEAD);
        long ahead =
                count(
                        directory,
                        path -> {
                            try {
                                return Files.getLastModifiedTime(path).toInstant().isAfter(latest);
                            } catch (IOException e) {
                                return false; // just deleted
                            }
                        });
        if (ahead > 0) {
            checks.add(
                    Check.wrong(
                            "times in " + directory,
                            ahead + " files were changed at a time that is still to come",
                            "The clock was ahead, or is behind: retention by age waits until then",
                            "timedatectl status"));
        }
    }
}
