package io.firn.crash;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Cursor;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.crash.Promises.OfTopic;
import io.firn.crash.Promises.Repeatable;
import io.firn.host.HostedStore;
import io.firn.sim.SimulatedFileMedium;
import java.util.ArrayList;
import java.util.List;

/** A life of a store in which everything happens once that a crash could disturb. */
final class CrashScript {
    private static final int LARGE = 25_000; // two to a segment
    private static final int SMALL = 100;

    final Promises promises = new Promises();
    final Simulation simulation;
    private LogStore store;
    private long sequence;
    private long producer = -1;
    private String doing = "nothing";

    CrashScript(SimulatedFileMedium medium) {
        simulation = new Simulation(medium);
    }

    /** What is going on. */
    String doing() {
        return doing;
    }

    /** All of it. */
    void run() {
        doing("open");
        store = simulation.open();
        OfTopic durable = create("durable", Simulation.SMALL);
        OfTopic written = create("written", Simulation.SMALL_WRITTEN);
        appendOneByOne(durable);
        rollWithoutWaiting(written);
        retain();
        deleteTopicAndCreateItAgain();
        moveStart(durable);
        closeAndReopen(durable, written);
        appendIdempotently(durable);
        rollWithoutWaiting(written);
        doing("close");
        store.close();
    }

    private void doing(String what) {
        doing = what;
    }

    private OfTopic create(String name, TopicOptions options) {
        doing("create topic " + name);
        OfTopic promised = promises.topic(name);
        promised.exists(store.createTopic(name, options));
        return promised;
    }

    private Partition partition(String topic) {
        return store.openTopic(topic).partition(0);
    }

    private void appendOneByOne(OfTopic durable) {
        doing("append, durable");
        try (Appender appender = partition("durable").openExclusiveAppender()) {
            for (int i = 0; i < 2; i++) {
                append(appender, durable, "durable", 1, SMALL);
            }
            append(appender, durable, "durable", 3, SMALL);
            doing("append, durable, with a roll");
            for (int i = 0; i < 3; i++) {
                append(appender, durable, "durable", 1, LARGE);
            }
            doing("marks, seal, checkpoint");
            simulation.pass(store, 1_100);
            doing("cursor");
            moveCursor(durable, "durable", durable.nextOffset() - 1, true);
        }
    }

    private void append(
            Appender appender, OfTopic promised, String topic, int records, int length) {
        Batch batch = appender.newBatch();
        fill(batch, promised, topic, records, length);
        promised.acks(appender.append(batch), records);
    }

    private static List<byte[]> fill(
            Batch batch, OfTopic promised, String topic, int records, int length) {
        List<byte[]> values = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            values.add(Promises.value(topic, promised.nextOffset() + i, length));
        }
        values.forEach(batch::add);
        promised.sends(values);
        return values;
    }

    /** A segment full, and another begun, of which nobody has waited for anything. */
    private void rollWithoutWaiting(OfTopic written) {
        doing("append, written, with rolls");
        try (Appender appender = partition("written").openExclusiveAppender()) {
            for (int i = 0; i < 3; i++) {
                Batch batch = appender.newBatch();
                fill(batch, written, "written", 1, LARGE);
                long offset = appender.append(batch);
                if (offset != written.nextOffset() - 1) {
                    throw new AssertionError("offset " + offset);
                }
            }
            doing("cursor above what is durable");
            moveCursor(written, "written", written.nextOffset(), false);
            simulation.pass(store, 100);
            for (int i = 0; i < 2; i++) {
                fillAndTryAppend(appender, written);
            }
            doing("force");
            partition("written").force();
            fillAndTryAppend(appender, written);
            doing("cursor, forced above what is durable");
            moveCursor(written, "written", written.nextOffset(), true);
        }
    }

    private void fillAndTryAppend(Appender appender, OfTopic written) {
        Batch batch = appender.newBatch();
        fill(batch, written, "written", 1, LARGE);
        while (appender.tryAppend(batch) == Appender.BACK_PRESSURED) {
            store.doWork();
        }
    }

    private void moveCursor(OfTopic promised, String topic, long offset, boolean forced) {
        Cursor cursor = store.openTopic(topic).cursor("cursor");
        promised.asksForCursor(offset);
        cursor.commit(0, offset);
        if (forced) {
            cursor.force();
            promised.cursorForced();
        } else {
            simulation.pass(store, 100);
        }
    }

    private void retain() {
        OfTopic kept = promises.topic("short");
        kept.retained();
        doing("create topic short");
        kept.exists(store.createTopic("short", Simulation.SMALL.withRetentionBytes(LARGE)));
        doing("retention");
        try (Appender appender = partition("short").openExclusiveAppender()) {
            producer = promises.handedOut(HostedStore.of(store).newProducerId());
            for (int i = 0; i < 3; i++) {
                appendIdempotent(appender, kept, "short", LARGE);
                simulation.pass(store, 100);
            }
        }
    }

    private void deleteTopicAndCreateItAgain() {
        OfTopic gone = create("mortal", Simulation.SMALL);
        doing("append to a topic that is to go");
        try (Appender appender = partition("mortal").openExclusiveAppender()) {
            for (int i = 0; i < 3; i++) {
                append(appender, gone, "mortal", 1, LARGE);
            }
            moveCursor(gone, "mortal", 1, true);
        }
        doing("delete topic");
        gone.isBeingDeleted();
        store.deleteTopic("mortal");
        gone.gone();
        simulation.pass(store, 100);
        OfTopic again = create("mortal", Simulation.SMALL);
        try (Appender appender = partition("mortal").openExclusiveAppender()) {
            append(appender, again, "mortal", 1, SMALL);
        }
    }

    private void moveStart(OfTopic durable) {
        doing("delete records");
        Partition partition = partition("durable");
        durable.asksForStart(4); // in the middle of a batch
        partition.deleteRecordsBefore(4);
        simulation.pass(store, 100);
        long end = partition.durableOffset();
        durable.asksForStart(end);
        partition.deleteRecordsBefore(end);
        simulation.pass(store, 100);
    }

    private void closeAndReopen(OfTopic durable, OfTopic written) {
        doing("close");
        store.close();
        doing("reopen");
        store = simulation.open();
        Topic again = store.openTopic("durable");
        durable.goesOnFrom(again);
        written.goesOnFrom(store.openTopic("written"));
    }

    private void appendIdempotently(OfTopic durable) {
        doing("append, idempotent");
        producer = promises.handedOut(HostedStore.of(store).newProducerId());
        try (Appender appender = partition("durable").openExclusiveAppender()) {
            for (int i = 0; i < 3; i++) {
                appendIdempotent(appender, durable, "durable", LARGE);
                simulation.pass(store, i % 2 == 0 ? 10 : 1_100);
            }
        }
    }

    private void appendIdempotent(Appender appender, OfTopic promised, String topic, int length) {
        Batch batch = appender.newBatch();
        int first = (int) sequence;
        List<byte[]> values = fill(batch, promised, topic, 2, length);
        batch.producer(producer, 0, first);
        sequence += 2;
        long offset = appender.append(batch);
        promised.acks(offset, 2);
        promised.acksRepeatable(new Repeatable(producer, 0, first, values, offset));
    }
}
