package io.firn.bench.peers;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The scenarios and contenders that a list of names selects; all of a kind that is not named. */
record Selection(Set<Scenario> scenarios, Set<Peer> peers) {
    /**
     * Parses names of scenarios, contenders and systems.
     *
     * @throws IllegalArgumentException if a name is unknown; the message lists the known ones
     */
    static Selection of(List<String> names) {
        Set<Scenario> scenarios = EnumSet.noneOf(Scenario.class);
        Set<Peer> peers = EnumSet.noneOf(Peer.class);
        Set<String> known = new TreeSet<>();
        for (String name : names) {
            boolean isKnown = false;
            for (Scenario scenario : Scenario.values()) {
                if (matches(name, scenario.id()) && scenarios.add(scenario)) {
                    isKnown = true;
                }
            }
            for (Peer peer : Peer.values()) {
                if ((name.equals(peer.id()) || name.equals(family(peer))) && peers.add(peer)) {
                    isKnown = true;
                }
            }
            if (!isKnown && !known.contains(name)) {
                throw new IllegalArgumentException(
                        "unknown: "
                                + name
                                + "\nscenarios:  "
                                + String.join(
                                        " ",
                                        Stream.of(Scenario.values()).map(Scenario::id).toList())
                                + "\nsystems:    "
                                + String.join(
                                        " ",
                                        Stream.of(Peer.values())
                                                .map(Selection::family)
                                                .distinct()
                                                .toList())
                                + "\ncontenders: "
                                + String.join(
                                        " ", Stream.of(Peer.values()).map(Peer::id).toList()));
            }
            known.add(name);
        }
        return new Selection(
                scenarios.isEmpty() ? EnumSet.allOf(Scenario.class) : scenarios,
                peers.isEmpty() ? EnumSet.allOf(Peer.class) : peers);
    }

    /** A scenario can be named by its beginning, such as append for both kinds of pages. */
    private static boolean matches(String name, String id) {
        return id.equals(name) || id.startsWith(name + "-");
    }

    private static String family(Peer peer) {
        return peer.family().name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
