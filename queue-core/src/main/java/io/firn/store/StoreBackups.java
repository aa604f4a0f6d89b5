package io.firn.store;

import io.firn.Backup;
import io.firn.BackupOptions;
import io.firn.BusyException;
import io.firn.backup.BackupSource;
import io.firn.backup.StoreBackup;
import io.firn.log.LogContext;
import io.firn.metadata.StoreIdentity;
import io.firn.tx.Coordinator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Backups of a store, one at a time, and what they see of it. Thread-safe. */
final class StoreBackups implements BackupSource {
    private final LogContext context;
    private final Topics topics;
    private final Coordinator transactions;
    private final AtomicBoolean isBusy = new AtomicBoolean();
    private StoreIdentity identity;

    StoreBackups(LogContext context, Topics topics, Coordinator transactions) {
        this.context = context;
        this.topics = topics;
        this.transactions = transactions;
    }

    /** Sets what names the store. */
    void own(StoreIdentity ofStore) {
        identity = ofStore;
    }

    Backup make(Path destination, BackupOptions options) {
        if (!isBusy.compareAndSet(false, true)) {
            throw new BusyException("another backup of the store " + context + " is in progress");
        }
        try {
            return new StoreBackup(this, destination, options).run();
        } finally {
            isBusy.set(false);
        }
    }

    @Override
    public LogContext context() {
        return context;
    }

    @Override
    public StoreIdentity identity() {
        return identity;
    }

    @Override
    public List<SourceTopic> topics() {
        topics.unreadable().checkNone();
        List<SourceTopic> all = new ArrayList<>();
        TopicLog journal = topics.journal();
        if (journal != null) {
            all.add(shown(journal));
        }
        topics.all().forEach(topic -> all.add(shown(topic)));
        return all;
    }

    private static SourceTopic shown(TopicLog topic) {
        List<PartitionLog> partitions = topic.logs();
        return new SourceTopic(
                topic.context(),
                topic.cursors(),
                partitions.stream().map(PartitionLog::forcer).toList(),
                index -> partitions.get(index).compactAgain());
    }

    @Override
    public void whileStill(Runnable look) {
        transactions.whileStill(look);
    }
}
