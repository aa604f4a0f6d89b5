package io.firn.crashlab;

import io.firn.crashlab.Action.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** What a store lives through while its power is cut. A third of the seeds each is of a style. */
final class Workload {
    /** A topic of durability WRITTEN, without compression and retention, forced every 10 s. */
    private static final int LAZY_TOPIC = 1 + 32;

    /** So many large values are more than a segment holds, mostly. */
    private static final int APPENDS_TO_ROLL = 5;

    private Workload() {}

    /** Kinds of workloads. */
    enum Style {
        /** One incarnation. */
        PLAIN,
        /** The power is cut, again and again, and each incarnation goes on where it recovers. */
        INCARNATIONS,
        /**
         * The same, with WRITTEN topics that are hardly ever forced: segments that were rolled and
         * are not sealed, and blocks that are used again.
         */
        UNFORCED
    }

    /** The style of a seed's workload. */
    static Style styleOf(long seed) {
        long hash = seed * 0x9E3779B97F4A7C15L;
        return Style.values()[(int) Math.floorMod(hash ^ hash >>> 32, 3L)];
    }

    /** The same one for the same seed. */
    static List<Action> of(Media media, long seed, int length) {
        return of(styleOf(seed), media, seed, length);
    }

    static List<Action> of(Style style, Media media, long seed, int length) {
        SplittableRandom random = new SplittableRandom(~seed);
        return switch (style) {
            case PLAIN -> Action.workload(media, seed, length);
            case INCARNATIONS -> withCuts(Action.workload(media, seed, length), random);
            case UNFORCED -> withCuts(unforced(media, random, length), random);
        };
    }

    private static List<Action> withCuts(List<Action> actions, SplittableRandom random) {
        List<Action> all = new ArrayList<>(actions);
        int half = all.size() / 2;
        for (int i = 1; i < all.size(); i++) {
            // Of two that follow each other the second one cuts at once, so there is one for sure.
            if (random.nextInt(10) == 0 || i == half || i == half + 1) {
                all.set(i, new Action(Kind.CUT, 0, random.nextInt(1 << 20), 0));
            }
        }
        return all;
    }

    private static List<Action> unforced(Media media, SplittableRandom random, int length) {
        List<Kind> kinds = new ArrayList<>();
        add(kinds, Kind.APPEND_BULK, 14);
        add(kinds, Kind.APPEND_ASYNC, 8);
        add(kinds, Kind.APPEND_IDEMPOTENT, 3);
        add(kinds, Kind.PASS, 5);
        add(kinds, Kind.CREATE, 1);
        add(kinds, Kind.DELETE, 1);
        add(kinds, Kind.CURSOR, 1);
        add(kinds, Kind.FORCE, 1);
        add(kinds, Kind.DELETE_RECORDS, 1);
        add(kinds, Kind.MOVE, media.hasMoves() ? 3 : 0);
        List<Action> actions = new ArrayList<>();
        addFreshTopic(actions, 0, random);
        while (actions.size() < length) {
            Kind kind = kinds.get(random.nextInt(kinds.size()));
            if (kind == Kind.DELETE) {
                actions.add(new Action(Kind.DELETE, 1, 0, 0));
                addFreshTopic(actions, 1, random);
                continue;
            }
            int topic = random.nextInt(2); // two of them fill their segments sooner
            int a =
                    switch (kind) {
                        case CREATE -> LAZY_TOPIC;
                        case PASS -> random.nextInt(2); // a short one
                        default -> random.nextInt(1 << 20);
                    };
            actions.add(new Action(kind, topic, a, random.nextInt(1 << 20)));
        }
        return actions.subList(0, length);
    }

    /** A topic whose first segment is rolled before anything of it was ever forced. */
    private static void addFreshTopic(List<Action> actions, int topic, SplittableRandom random) {
        actions.add(new Action(Kind.CREATE, topic, LAZY_TOPIC, 0));
        for (int i = 0; i < APPENDS_TO_ROLL; i++) {
            actions.add(new Action(Kind.APPEND_BULK, topic, random.nextInt(1 << 20), 0));
        }
        actions.add(new Action(Kind.PASS, topic, 0, 0));
    }

    private static void add(List<Kind> kinds, Kind kind, int weight) {
        for (int i = 0; i < weight; i++) {
            kinds.add(kind);
        }
    }
}
