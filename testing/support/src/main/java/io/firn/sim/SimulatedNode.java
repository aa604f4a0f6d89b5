package io.firn.sim;

import java.util.IdentityHashMap;
import java.util.Map;

/** A file or a directory, apart from its name. */
abstract sealed class SimulatedNode permits SimulatedBytes, SimulatedDirectory {

    /** This node with everything below it, once however many names lead to it. */
    final SimulatedNode copy(Map<SimulatedNode, SimulatedNode> copies) {
        SimulatedNode done = copies.get(this);
        return done != null ? done : makeCopy(copies);
    }

    /** Makes the copy, and enters it before it goes down to other nodes. */
    abstract SimulatedNode makeCopy(Map<SimulatedNode, SimulatedNode> copies);

    /** Lets the crash happen: from now on, what survived is all there is, and it is durable. */
    abstract void crash(Survival survival);

    /** Differs when what is durable differs; as good as a hash is. */
    abstract long fingerprint();

    static Map<SimulatedNode, SimulatedNode> noCopies() {
        return new IdentityHashMap<>();
    }
}
