package io.firn;

/** Told when records of a partition have become durable. */
@FunctionalInterface
public interface DurableHandler {

    /** Everything below the offset is durable. Values ascend; calls do not overlap. */
    void onDurable(int partition, long durableOffset);
}
