package io.firn.bench.peers;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * The order of the runs: every cell once, then every cell again, so that a change of the machine
 * affects all contenders. Contenders of one scenario and size follow each other directly, and each
 * round begins with another one, so that none always follows the same neighbour.
 */
final class Schedule {
    private final List<Turn> turns = new ArrayList<>();

    /**
     * One run of a cell.
     *
     * @param cell what to run
     * @param round from 0
     */
    record Turn(Cell cell, int round) {}

    Schedule(Set<Scenario> scenarios, Set<Peer> peers, List<Integer> sizes, int rounds) {
        for (int round = 0; round < rounds; round++) {
            for (Scenario scenario : scenarios) {
                for (int bytes : sizes) {
                    List<Peer> order =
                            new ArrayList<>(peers.stream().filter(scenario::includes).toList());
                    Collections.rotate(order, -round);
                    for (Peer peer : order) {
                        turns.add(new Turn(new Cell(scenario, peer, bytes), round));
                    }
                }
            }
        }
    }

    List<Turn> turns() {
        return Collections.unmodifiableList(turns);
    }

    /** Returns the cells, in the order of tables. */
    List<Cell> cells() {
        return turns.stream()
                .map(Turn::cell)
                .distinct()
                .sorted(
                        Comparator.comparing(Cell::scenario)
                                .thenComparing(Cell::peer)
                                .thenComparing(Cell::bytes))
                .toList();
    }
}
