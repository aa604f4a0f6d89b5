package io.firn.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What measurements mean. */
final class BenchVerdict {
    private static final long NO_DEVICE_MICROS = 15;
    private static final long SLOW_FORCE_MICROS = 3_000;
    private static final int LONG_TAIL = 20;
    private static final long TAIL_MICROS = 20_000;
    private static final long OWN_MICROS = 300;
    private static final int SHARED = 4;
    private static final long SLOW_DEVICE_BYTES = 50 << 20;
    private static final long SLOW_APPENDS = 100_000;
    private static final long SLOW_FETCHES = 500_000;

    private final Map<String, Measurement> all;
    private final List<Check> checks = new ArrayList<>();

    private BenchVerdict(List<Measurement> measured) {
        all = measured.stream().collect(Collectors.toMap(Measurement::work, Function.identity()));
    }

    /** Returns a verdict for each thing that matters. */
    static List<Check> of(List<Measurement> measured) {
        BenchVerdict verdict = new BenchVerdict(measured);
        verdict.force();
        verdict.stalls();
        verdict.appends();
        verdict.groups();
        verdict.device();
        verdict.processor();
        return verdict.checks;
    }

    private void add(Check check) {
        checks.add(check);
    }

    private void force() {
        Measurement force = all.get(MachineBench.FORCE);
        String found = force.medianMicros() + " µs";
        String subject = "forces";
        if (force.medianMicros() < NO_DEVICE_MICROS) {
            add(
                    Check.note(
                            subject,
                            found,
                            "No device writes so fast: the directory is in memory, or something"
                                    + " acknowledges forces before the data is safe",
                            "see firn doctor, and the caches of the device or of the hypervisor"));
        } else if (force.medianMicros() > SLOW_FORCE_MICROS) {
            add(
                    Check.wrong(
                            subject,
                            found,
                            "Each durable append waits for a force: one thread has at most "
                                    + force.perSecond()
                                    + " appends a second",
                            "use an SSD whose cache survives a power failure, append batches or by"
                                    + " several threads, or let topics be WRITTEN"));
        } else {
            add(Check.ok(subject, found));
        }
    }

    private void stalls() {
        Measurement force = all.get(MachineBench.FORCE);
        boolean isLong =
                force.p99Micros() > LONG_TAIL * force.medianMicros()
                        && force.p99Micros() > TAIL_MICROS;
        String found = "one of a hundred forces takes " + force.p99Micros() + " µs or more";
        add(
                isLong
                        ? Check.wrong(
                                "stalls",
                                found,
                                "Appends wait as long. Something else uses the device, or it erases"
                                        + " flash or limits the rate",
                                "look at iostat -x 1 while this runs; in a cloud, at the limits of"
                                        + " the volume")
                        : Check.ok("stalls", found));
    }

    private void appends() {
        Measurement one = all.get(MachineBench.ONE);
        long own = one.medianMicros() - all.get(MachineBench.FORCE).medianMicros();
        String found =
                one.medianMicros() + " µs, of which " + Math.max(0, own) + " are not the force";
        add(
                own > OWN_MICROS + all.get(MachineBench.FORCE).medianMicros()
                        ? Check.wrong(
                                "durable appends",
                                found,
                                "The processor is slow or busy, or the file system writes more than"
                                        + " was appended",
                                "look at top and at iostat -x 1 while this runs; use ext4 or xfs")
                        : Check.ok("durable appends", found));
    }

    private void groups() {
        Measurement one = all.get(MachineBench.ONE);
        Measurement many = all.get(MachineBench.MANY);
        long factor = Math.round((double) many.perSecond() / Math.max(1, one.perSecond()));
        String found =
                many.perSecond()
                        + " appends a second by 64 threads, "
                        + factor
                        + " times as many as by one";
        add(
                factor < SHARED
                        ? Check.note(
                                "shared forces",
                                found,
                                "Threads that append at once share forces. Here the processor, not"
                                        + " the device, is what they wait for",
                                null)
                        : Check.ok("shared forces", found));
    }

    private void device() {
        Measurement bytes = all.get(MachineBench.BYTES);
        String found = Table.size(bytes.bytesPerSecond()) + " a second";
        add(
                bytes.bytesPerSecond() < SLOW_DEVICE_BYTES
                        ? Check.wrong(
                                "large batches",
                                found,
                                "This is the most that can be appended for long; moves between tiers"
                                        + " and compaction need a part of it, too",
                                "use a faster device, or compression")
                        : Check.ok("large batches", found));
    }

    private void processor() {
        rate(MachineBench.WRITTEN, "appends without a force", SLOW_APPENDS);
        rate(MachineBench.FETCH, "fetches", SLOW_FETCHES);
    }

    private void rate(String work, String subject, long expected) {
        Measurement measured = all.get(work);
        String found = measured.perSecond() + " records a second";
        add(
                measured.perSecond() < expected
                        ? Check.wrong(
                                subject,
                                found + "; " + expected + " or more are expected",
                                "They need the processor and memory only: both are slow or busy",
                                "look at top while this runs, and at the limits of the container")
                        : Check.ok(subject, found));
    }
}
