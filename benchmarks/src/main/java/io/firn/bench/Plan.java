package io.firn.bench;

import io.firn.Durability;
import io.firn.bench.Bench.Length;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The cases that {@link Micro} runs: all, or a quick selection. */
final class Plan {
    static final String EXCLUSIVE = "append exclusive";
    static final String EXCLUSIVE_VALUE = "append / encoding floor";
    static final String SHARED = "append shared";
    static final String SHARED_2 = "append shared, 2 threads";
    static final String SHARED_8 = "append shared, 8 threads";
    static final String CLAIM = "append claim";
    static final String BATCH = "append batch of 16";
    static final String TAIL = "tail";
    static final String TAIL_BATCH = "tail batches of 16";
    static final String END_TO_END = "end to end";
    static final String PEER_APPEND = "append, rolling / Chronicle";
    static final String PEER_REPLAY = "replay / Chronicle";

    private static final int[] SIZES = {64, 256, 1024};
    private static final int[] ONE_SIZE = {256};
    private static final int DISK_SEGMENT_MIB = 64;
    private static final int END_TO_END_MIB = 512;

    private final boolean quick;
    private final Map<String, Path> places;
    private final int segmentMib;
    private final int iterations;
    private final List<Case> cases = new ArrayList<>();

    private Plan(boolean quick, Map<String, Path> places) {
        this.quick = quick;
        this.places = places;
        this.segmentMib = quick ? 256 : 512;
        this.iterations = quick ? 5 : 8;
    }

    /** Returns the cases for the places that this machine has. */
    static List<Case> of(boolean quick, Map<String, Path> places) {
        Plan plan = new Plan(quick, places);
        for (String place : places.keySet()) {
            plan.add(place);
        }
        return plan.cases;
    }

    private void add(String place) {
        boolean memory = place.equals(Case.MEMORY);
        int[] sizes = memory || !quick ? SIZES : ONE_SIZE;
        for (int bytes : sizes) {
            addAppends(place, Durability.DURABLE, bytes);
        }
        for (int bytes : memory || !quick ? sizes : new int[0]) {
            addAppends(place, Durability.WRITTEN, bytes);
        }
        for (int bytes : memory || !quick ? sizes : new int[0]) {
            addTail(place, TAIL, bytes, 1);
            if (memory) {
                addTail(place, TAIL_BATCH, bytes, AppendBenchmark.BATCH_RECORDS);
            }
        }
        for (int bytes : memory || !quick ? sizes : new int[0]) {
            addEndToEnd(place, Durability.WRITTEN, bytes);
            if (memory && !quick) {
                addEndToEnd(place, Durability.DURABLE, bytes);
            }
        }
        if (memory) {
            for (int bytes : quick ? ONE_SIZE : sizes) {
                addPeer(place, bytes);
            }
        }
    }

    private void addAppends(String place, Durability durability, int bytes) {
        boolean memory = place.equals(Case.MEMORY);
        Bench floor = append(AppendFloor.class, "append", place, durability, bytes, 1, 1);
        addAppend(EXCLUSIVE, AppendBenchmark.class, "exclusive", 1, floor, place, durability);
        if (memory) {
            Bench encoding =
                    append(AppendFloor.class, "encodedAppend", place, durability, bytes, 1, 1);
            addAppend(
                    EXCLUSIVE_VALUE,
                    AppendBenchmark.class,
                    "exclusive",
                    1,
                    encoding,
                    place,
                    durability);
        }
        if (memory || durability == Durability.DURABLE) {
            addAppend(SHARED, SharedAppendBenchmark.class, "shared", 1, floor, place, durability);
        }
        if (!quick && (memory || durability == Durability.DURABLE)) {
            addAppend(SHARED_2, SharedAppendBenchmark.class, "shared", 2, floor, place, durability);
        }
        if (!memory && durability == Durability.DURABLE) {
            addAppend(SHARED_8, SharedAppendBenchmark.class, "shared", 8, floor, place, durability);
        }
        if (memory || !quick) {
            addAppend(CLAIM, AppendBenchmark.class, "claim", 1, floor, place, durability);
            int n = AppendBenchmark.BATCH_RECORDS;
            cases.add(
                    new Case(
                            BATCH,
                            place,
                            durability,
                            bytes,
                            append(
                                    AppendBenchmark.class,
                                    "batchOf16",
                                    place,
                                    durability,
                                    bytes,
                                    1,
                                    n),
                            append(
                                    AppendFloor.class,
                                    "batchOf16",
                                    place,
                                    durability,
                                    bytes,
                                    1,
                                    n)));
        }
    }

    private void addAppend(
            String name,
            Class<?> type,
            String method,
            int threads,
            Bench floor,
            String place,
            Durability durability) {
        int bytes = Integer.parseInt(floor.params().get("bytes"));
        Bench subject = append(type, method, place, durability, bytes, threads, 1);
        cases.add(new Case(name, place, durability, bytes, subject, floor));
    }

    private Bench append(
            Class<?> type,
            String method,
            String place,
            Durability durability,
            int bytes,
            int threads,
            int batch) {
        boolean forcedToDisk = place.equals(Case.DISK) && durability == Durability.DURABLE;
        int mib = forcedToDisk ? DISK_SEGMENT_MIB : segmentMib;
        Map<String, String> params = params(place, bytes);
        params.put("durability", durability.name());
        params.put("segmentMib", Integer.toString(mib));
        Length length;
        if (forcedToDisk) {
            int ops = (quick ? 800 : 1500) / (threads > 1 ? 2 : 1);
            length = Length.ofOps(1, ops, iterations, ops);
        } else {
            // A tenth remains free, because what is measured must not roll.
            long room = mib * (1L << 20) / 10 * 9;
            int size = BatchImage.batch(new byte[bytes], batch).length;
            int ops = (int) (room / size / iterations / threads);
            length = Length.ofOps(2, warmupOps(durability, batch) / threads, iterations, ops);
        }
        return new Bench(type, method, params, threads, batch, length);
    }

    /** Enough for the JIT compilers: some tenths of a second. */
    private int warmupOps(Durability durability, int batch) {
        int records = durability == Durability.DURABLE ? 1_500_000 : 3_000_000;
        return (quick ? records / 2 : records) / (batch == 1 ? 1 : 8);
    }

    private void addTail(String place, String name, int bytes, int batch) {
        Map<String, String> params = params(place, bytes);
        params.put("batch", Integer.toString(batch));
        params.put("segmentMib", Integer.toString(segmentMib));
        Length length = Length.ofTime(2, iterations, quick ? 150 : 250);
        cases.add(
                new Case(
                        name,
                        place,
                        null,
                        bytes,
                        new Bench(TailBenchmark.class, "poll", params, 1, 1, length),
                        new Bench(TailFloor.class, "walk", params, 1, 1, length)));
    }

    private void addEndToEnd(String place, Durability durability, int bytes) {
        Map<String, String> params = params(place, bytes);
        params.put("durability", durability.name());
        params.put("segmentMib", Integer.toString(END_TO_END_MIB));
        // One run per iteration, even a short one, that fits into the segment.
        Length length = Length.ofTime(1, quick ? 2 : 3, 1);
        cases.add(
                new Case(
                        END_TO_END,
                        place,
                        durability,
                        bytes,
                        new Bench(EndToEndBenchmark.class, "run", params, 1, 1, length),
                        new Bench(EndToEndFloor.class, "run", params, 1, 1, length)));
    }

    private void addPeer(String place, int bytes) {
        Map<String, String> params = params(place, bytes);
        Map<String, String> firn = new LinkedHashMap<>(params);
        firn.put("durability", Durability.WRITTEN.name());
        int ops = (256 << 20) / (bytes + 72) / (quick ? 2 : 1);
        Length length = Length.ofOps(2, ops, iterations, ops);
        cases.add(
                new Case(
                        PEER_APPEND,
                        place,
                        Durability.WRITTEN,
                        bytes,
                        new Bench(AppendBenchmark.class, "sustained", firn, 1, 1, length),
                        new Bench(ChronicleBenchmark.class, "append", params, 1, 1, length)));
        Map<String, String> tail = new LinkedHashMap<>(params);
        tail.put("batch", "1");
        Length replay = Length.ofTime(2, iterations, 250);
        cases.add(
                new Case(
                        PEER_REPLAY,
                        place,
                        null,
                        bytes,
                        new Bench(TailBenchmark.class, "replay", tail, 1, 1, replay),
                        new Bench(ChronicleBenchmark.class, "replay", params, 1, 1, replay)));
    }

    private Map<String, String> params(String place, int bytes) {
        Map<String, String> params = new LinkedHashMap<>();
        params.put("dir", places.get(place).toString());
        params.put("bytes", Integer.toString(bytes));
        return params;
    }
}
