package io.firn.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A directory: its names as everybody sees them, its names as they are on the medium, and the
 * changes in between. In a crash each of these changes survives or not, whatever becomes of those
 * before and after it; a rename is one change.
 */
final class SimulatedDirectory extends SimulatedNode {
    private final TreeMap<String, SimulatedNode> names = new TreeMap<>();
    private final TreeMap<String, SimulatedNode> durable = new TreeMap<>();
    private final List<Change> pending = new ArrayList<>();

    /**
     * A change.
     *
     * @param from the name that goes, or null
     * @param to the name that comes, or null
     * @param node what the name stands for
     */
    private record Change(String from, String to, SimulatedNode node) {
        void apply(Map<String, SimulatedNode> names) {
            if (from != null) {
                // Under whatever name it is, should an earlier rename not have survived.
                names.values().removeIf(other -> other == node);
            }
            if (to != null) {
                names.put(to, node);
            }
        }

        Change copy(Map<SimulatedNode, SimulatedNode> copies) {
            return new Change(from, to, node.copy(copies));
        }
    }

    TreeMap<String, SimulatedNode> names() {
        return names;
    }

    void put(String name, SimulatedNode node) {
        change(new Change(null, name, node));
    }

    void remove(String name) {
        change(new Change(name, null, names.get(name)));
    }

    void rename(String from, String to) {
        change(new Change(from, to, names.get(from)));
    }

    private void change(Change change) {
        change.apply(names);
        pending.add(change);
    }

    void force() {
        pending.forEach(change -> change.apply(durable));
        pending.clear();
    }

    /** Files with a name, among them those whose deletion is not durable yet. */
    void collect(Set<SimulatedBytes> files) {
        for (Map<String, SimulatedNode> each : List.of(names, durable)) {
            for (SimulatedNode node : each.values()) {
                if (node instanceof SimulatedDirectory directory) {
                    directory.collect(files);
                } else {
                    files.add((SimulatedBytes) node);
                }
            }
        }
    }

    @Override
    void crash(Survival survival) {
        for (Change change : pending) {
            if (survival.name()) {
                change.apply(durable);
            }
        }
        pending.clear();
        names.clear();
        names.putAll(durable);
        names.values().forEach(node -> node.crash(survival));
    }

    @Override
    long fingerprint() {
        long sum = durable.size();
        for (Map.Entry<String, SimulatedNode> each : durable.entrySet()) {
            sum += Fingerprints.mix(each.getKey().hashCode(), each.getValue().fingerprint());
        }
        return Fingerprints.mix(sum, 1);
    }

    @Override
    SimulatedNode makeCopy(Map<SimulatedNode, SimulatedNode> copies) {
        SimulatedDirectory copy = new SimulatedDirectory();
        copies.put(this, copy);
        names.forEach((name, node) -> copy.names.put(name, node.copy(copies)));
        durable.forEach((name, node) -> copy.durable.put(name, node.copy(copies)));
        pending.forEach(change -> copy.pending.add(change.copy(copies)));
        return copy;
    }
}
