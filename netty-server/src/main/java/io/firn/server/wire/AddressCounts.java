package io.firn.server.wire;

import java.util.HashMap;
import java.util.Map;

/** Counts what there is of each address, up to a limit for one and a limit for all. */
final class AddressCounts {
    private final int most;
    private final int mostOfOne;
    private final Map<String, Integer> byAddress = new HashMap<>();
    private int total;

    AddressCounts(int most, int mostOfOne) {
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    boolean isFull() {
        return total >= most;
    }

    boolean isFullFor(String address) {
        return byAddress.getOrDefault(address, 0) >= mostOfOne;
    }

    void add(String address) {
        total++;
        byAddress.merge(address, 1, Integer::sum);
    }

    void remove(String address) {
        total--;
        byAddress.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
    }
}
