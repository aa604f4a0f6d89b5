package io.firn.bench.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.bench.peers.Schedule.Turn;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private final Schedule schedule =
            new Schedule(
                    EnumSet.of(Scenario.APPEND_FRESH, Scenario.REPLAY),
                    EnumSet.of(Peer.FIRN_WRITTEN, Peer.CHRONICLE_BYTES, Peer.FIRN_DURABLE),
                    List.of(64, 256),
                    3);

    @Test
    void shouldRunEachCellOnceBeforeAnyRunsAgain() {
        List<Turn> turns = schedule.turns();
        int cells = schedule.cells().size();
        assertEquals(3 * cells, turns.size());
        for (int round = 0; round < 3; round++) {
            List<Turn> own = turns.subList(round * cells, (round + 1) * cells);
            assertEquals(cells, new HashSet<>(own).size());
            for (Turn turn : own) {
                assertEquals(round, turn.round());
            }
        }
    }

    @Test
    void shouldPutContendersOfOneScenarioAndSizeNextToEachOther() {
        List<Turn> turns = schedule.turns();
        for (int i = 0; i < turns.size(); i += 2) {
            Cell first = turns.get(i).cell();
            Cell second = turns.get(i + 1).cell();
            assertEquals(first.scenario(), second.scenario());
            assertEquals(first.bytes(), second.bytes());
        }
    }

    @Test
    void shouldBeginEachRoundWithAnotherContender() {
        List<Turn> turns = schedule.turns();
        int cells = schedule.cells().size();
        assertEquals(Peer.FIRN_WRITTEN, turns.get(0).cell().peer());
        assertEquals(Peer.CHRONICLE_BYTES, turns.get(cells).cell().peer());
    }

    @Test
    void shouldCompareForcedAppendsOnlyWithForcedOnes() {
        assertTrue(schedule.cells().stream().noneMatch(cell -> cell.peer().isForced()));
        for (Peer peer : Peer.values()) {
            assertEquals(
                    peer.isForced(),
                    Scenario.DURABLE_1.includes(peer),
                    "durable append of " + peer.id());
        }
    }
}
