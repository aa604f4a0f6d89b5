package io.firn.forward;

import io.firn.forward.cluster.OutgoingRecord;
import io.firn.forward.cluster.Position;
import io.firn.forward.cluster.Target;
import io.firn.forward.cluster.TargetPartition;
import io.firn.forward.cluster.TargetTopic;
import java.util.Collection;
import java.util.Map;
import java.util.function.Consumer;

/** A target that tells of each call before it is made, and after a commit. */
final class WatchedTarget implements Target {
    /** What is called. */
    enum Call {
        TOPICS,
        POSITIONS,
        STABLE_POSITIONS,
        INIT,
        BEGIN,
        SEND,
        SEND_POSITIONS,
        COMMIT,
        COMMITTED
    }

    private final Target target;
    private final Consumer<Call> watcher;

    private WatchedTarget(Target target, Consumer<Call> watcher) {
        this.target = target;
        this.watcher = watcher;
    }

    static Target.Factory of(Target.Factory factory, Consumer<Call> watcher) {
        return isEnding -> new WatchedTarget(factory.open(isEnding), watcher);
    }

    @Override
    public Map<String, TargetTopic> topics(Collection<String> names) {
        watcher.accept(Call.TOPICS);
        return target.topics(names);
    }

    @Override
    public Map<TargetPartition, Position> positions(
            Collection<TargetPartition> partitions, boolean isStable) {
        watcher.accept(isStable ? Call.STABLE_POSITIONS : Call.POSITIONS);
        return target.positions(partitions, isStable);
    }

    @Override
    public void initTransactions() {
        watcher.accept(Call.INIT);
        target.initTransactions();
    }

    @Override
    public void begin() {
        watcher.accept(Call.BEGIN);
        target.begin();
    }

    @Override
    public void send(String topic, OutgoingRecord record, String source) {
        watcher.accept(Call.SEND);
        target.send(topic, record, source);
    }

    @Override
    public void sendPositions(Map<TargetPartition, Position> positions) {
        watcher.accept(Call.SEND_POSITIONS);
        target.sendPositions(positions);
    }

    @Override
    public void commit() {
        watcher.accept(Call.COMMIT);
        target.commit();
        watcher.accept(Call.COMMITTED);
    }

    @Override
    public void abandon() {
        target.abandon();
    }

    @Override
    public void close() {
        target.close();
    }
}
