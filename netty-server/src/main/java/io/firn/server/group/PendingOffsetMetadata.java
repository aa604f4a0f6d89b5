package io.firn.server.group;

import io.firn.FirnException;
import io.firn.host.HostedCursor;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.CursorMove;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What clients commit beside their offsets in transactions: notes of the moves, which the store
 * keeps durably until the group's file has them. Thread-safe.
 */
public final class PendingOffsetMetadata {
    private static final System.Logger LOG = System.getLogger("io.firn.server");

    private final GroupCoordinator groups;
    private final OffsetCommitValidator commits;
    private final TransactionCoordinator coordinator;

    PendingOffsetMetadata(
            GroupCoordinator groups,
            OffsetCommitValidator commits,
            TransactionCoordinator coordinator) {
        this.groups = groups;
        this.commits = commits;
        this.coordinator = coordinator;
    }

    /** Keeps what was committed before the server was started. */
    void recover() {
        coordinator.producers().forEach(each -> keep(each.name()));
    }

    /** Called when a transaction has ended: what was committed counts from now on. */
    public void onEnd(String name) {
        keep(name);
    }

    private void keep(String name) {
        List<CursorMove> notes = coordinator.notes(name);
        if (notes.isEmpty()) {
            return;
        }
        Map<String, List<CursorMove>> byGroup = new HashMap<>();
        notes.forEach(
                each -> byGroup.computeIfAbsent(each.cursor(), id -> new ArrayList<>()).add(each));
        List<CursorMove> kept = new ArrayList<>();
        byGroup.forEach(
                (id, ofGroup) -> {
                    try {
                        if (keep(groups.find(id), ofGroup)) {
                            kept.addAll(ofGroup);
                        }
                    } catch (RuntimeException e) {
                        // The transaction is committed in any case; it is tried again.
                        LOG.log(
                                System.Logger.Level.WARNING,
                                "the metadata of offsets of group "
                                        + id
                                        + ", committed in a transaction, could not be written",
                                e);
                    }
                });
        coordinator.keptNotes(name, kept);
    }

    /** Returns whether the metadata is durable, or that of later offsets counts. */
    private boolean keep(Group group, List<CursorMove> notes) {
        Map<String, String> metadata = new HashMap<>();
        for (CursorMove each : notes) {
            if (isThere(each)) {
                metadata.put(GroupOffsets.place(each.topic(), each.partition()), each.note());
            }
        }
        return group == null || metadata.isEmpty() || commits.recordCommitted(group, metadata);
    }

    /** A note belongs to its offset, and nobody has committed another one since. */
    private static boolean isThere(CursorMove move) {
        try {
            OptionalLong now =
                    HostedCursor.of(move.topic().cursor(move.cursor())).committed(move.partition());
            return now.equals(OptionalLong.of(move.offset()));
        } catch (FirnException e) {
            return false; // the topic was deleted just now, or the store is being closed
        }
    }
}
