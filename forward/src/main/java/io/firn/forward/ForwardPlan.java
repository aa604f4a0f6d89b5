package io.firn.forward;

import io.firn.LogStore;
import io.firn.forward.cluster.Target;
import java.util.List;

/** What is forwarded, and how. */
record ForwardPlan(
        LogStore store,
        String name,
        List<Mapping> mappings,
        Target.Factory target,
        OnLostPosition onLostPosition,
        OnFull onFull) {

    /** The cursor that follows, for retention. */
    String cursor() {
        return cursorOf(name);
    }

    static String cursorOf(String name) {
        return "~forward-" + name;
    }
}
