package io.firn;

/** Called when records of a partition have become durable. */
@FunctionalInterface
public interface DurableHandler {

    /** Called when everything below the offset is durable. Offsets ascend; calls do not overlap. */
    void onDurable(int partition, long durableOffset);
}
