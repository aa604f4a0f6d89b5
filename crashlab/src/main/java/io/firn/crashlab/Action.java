package io.firn.crashlab;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A step of a workload. What the numbers mean depends on the kind; each kind makes something of any
 * number, so that a workload stays one when steps are left out.
 */
record Action(Kind kind, int topic, int a, int b) {

    /** What is done. */
    enum Kind {
        CREATE(1),
        DELETE(1),
        APPEND(14),
        APPEND_ASYNC(10),
        APPEND_IDEMPOTENT(4),
        FORCE(3),
        PASS(9),
        CURSOR(4),
        DELETE_RECORDS(3),
        REOPEN(1),
        /** Where there are several tiers. */
        MOVE(8),
        /** As APPEND_ASYNC, of one large value; in workloads that ask for it. */
        APPEND_BULK(0),
        /** Cuts the power some operations later; in workloads that ask for it. */
        CUT(0);

        private final int weight;

        Kind(int weight) {
            this.weight = weight;
        }
    }

    /** Some of a workload, by their places. */
    static List<Action> pick(List<Action> all, List<Integer> kept) {
        return kept.stream().map(all::get).toList();
    }

    /** A workload; the same one for the same seed. */
    static List<Action> workload(Media media, long seed, int length) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Kind> kinds = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            if (kind == Kind.MOVE && !media.hasMoves()) {
                continue;
            }
            for (int i = 0; i < kind.weight; i++) {
                kinds.add(kind);
            }
        }
        List<Action> actions = new ArrayList<>();
        actions.add(new Action(Kind.CREATE, 0, random.nextInt(1 << 20), 0));
        while (actions.size() < length) {
            Kind kind = kinds.get(random.nextInt(kinds.size()));
            actions.add(
                    new Action(
                            kind,
                            random.nextInt(Life.MOST_TOPICS),
                            random.nextInt(1 << 20),
                            random.nextInt(1 << 20)));
        }
        return actions;
    }
}
