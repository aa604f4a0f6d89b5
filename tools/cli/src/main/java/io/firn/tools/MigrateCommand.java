package io.firn.tools;

import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.TierPlace;
import io.firn.migrator.MigrationPolicy;
import io.firn.migrator.Migrator;
import io.firn.migrator.MigratorStatus;
import io.firn.migrator.Move;
import io.firn.migrator.MovePlan;
import io.firn.migrator.Policies;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Moves segments between tiers. */
@Command(
        name = "migrate",
        description = {
            "Moves sealed segments between the tiers of a store: shows which, and with --execute does"
                    + " it.",
            "",
            "A segment is moved only to a tier that its topic allows, and that has room. Segments that"
                    + " are written stay where they are. With --execute no process may have the"
                    + " store open: one that writes it moves segments itself. Exit code 1 if a move"
                    + " failed.",
            ""
        })
final class MigrateCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "STORE", description = StoreArguments.STORE)
    private Path directory;

    @Mixin private StoreArguments storeArguments;

    @ArgGroup(multiplicity = "1")
    private Goal goal;

    @Option(
            names = "--topic",
            paramLabel = "NAME",
            split = ",",
            description = "Moves segments of these topics only")
    private List<String> topics;

    @Option(names = "--execute", description = "Does it")
    private boolean isReal;

    @Mixin private Output output;

    private final Table moves =
            new Table("moves")
                    .texts("topic")
                    .numbers("partition", "base")
                    .bytes("bytes")
                    .texts("from", "to");

    /** What is moved. */
    private static final class Goal {
        @Option(
                names = "--threshold",
                paramLabel = "SHARE",
                description =
                        "Fills each tier but the last to this share of its capacity, from 0 to 1, as"
                                + " storage.migrate.threshold of a server does: the oldest segments"
                                + " move down, or the newest up")
        private Double threshold;

        @Option(
                names = "--to",
                paramLabel = "TIER",
                description = "Moves everything to the tier of this name, which firn stat shows")
        private String tier;
    }

    MigrateCommand() {}

    @Override
    public Integer call() throws IOException {
        MigrationPolicy policy =
                goal.tier != null ? this::allToOne : Policies.threshold(goal.threshold);
        return isReal ? make(policy) : show(policy);
    }

    private int show(MigrationPolicy policy) throws IOException {
        try (LogReader store = storeArguments.openReadOnly(directory)) {
            StoreSnapshot snapshot = checked(store);
            chosen(policy, snapshot).forEach(this::add);
            output.print(moves);
            explain(snapshot);
        }
        output.say("%nNothing was changed: --execute does it.");
        return Exit.FINE;
    }

    private int make(MigrationPolicy policy) throws IOException {
        try (LogStore store = storeArguments.openExisting(directory)) {
            StoreSnapshot snapshot = checked(store);
            MigratorStatus status;
            try (Migrator migrator =
                    Migrator.of(store)
                            .policy(
                                    now -> {
                                        List<Move> due = chosen(policy, now);
                                        due.forEach(this::add);
                                        return due;
                                    })
                            .open()) {
                while (migrator.moveNext()) {
                    // The policy is asked again until it has no move that has not failed.
                }
                status = migrator.status();
            }
            output.print(moves);
            explain(snapshot);
            for (MigratorStatus.Failing each : status.failing()) {
                output.warn("%s: %s", each.move(), each.reason());
            }
            return status.failing().isEmpty() ? Exit.FINE : Exit.FOUND;
        }
    }

    private void add(Move move) {
        moves.row(
                move.topic(),
                move.partition(),
                move.baseOffset(),
                move.bytes(),
                move.fromTier(),
                move.toTier());
    }

    private StoreSnapshot checked(LogReader store) {
        StoreSnapshot snapshot = store.snapshot();
        List<String> labels = snapshot.tiers().stream().map(TierPlace::label).toList();
        if (goal.tier != null && !labels.contains(goal.tier)) {
            throw new InvalidOptionException(
                    "--to: there is no tier '" + goal.tier + "': the store has " + labels);
        }
        if (topics != null) {
            topics.forEach(each -> StoreTopics.check(store, each));
        }
        return snapshot;
    }

    private List<Move> chosen(MigrationPolicy policy, StoreSnapshot snapshot) {
        Set<String> names = topics == null ? Set.of() : Set.copyOf(topics);
        return policy.moves(snapshot).stream()
                .filter(each -> topics == null || names.contains(each.topic()))
                .toList();
    }

    private List<Move> allToOne(StoreSnapshot snapshot) {
        MovePlan plan = MovePlan.of(snapshot);
        for (TierPlace tier : snapshot.tiers()) {
            if (!tier.label().equals(goal.tier)) {
                plan.candidatesIn(tier.label()).forEach(each -> plan.add(each, goal.tier));
            }
        }
        return plan.moves();
    }

    /** Says why a threshold does nothing. */
    private void explain(StoreSnapshot snapshot) {
        List<TierPlace> tiers = snapshot.tiers();
        for (TierPlace each : tiers.subList(0, tiers.size() - 1)) {
            if (goal.tier == null && each.capacityBytes().isEmpty()) {
                output.say(
                        "%nThe tier %s has no capacity, so it is never too full:"
                                + " --tier=file:DIR@BYTES names one.",
                        each.label());
            }
        }
        if (tiers.size() == 1) {
            output.say("%nThe store has one tier: --tier names each of them.");
        }
    }
}
