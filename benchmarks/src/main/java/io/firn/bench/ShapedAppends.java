package io.firn.bench;

import io.firn.Batch;
import io.firn.Durability;
import io.firn.ExclusiveAppender;
import io.firn.Partition;
import io.firn.TopicAppender;
import java.io.IOException;
import java.util.function.LongSupplier;

/** Appends of one shape to a log without forces. */
final class ShapedAppends implements AutoCloseable {
    private static final byte[] HEADER_VALUE = Values.ofLength(24);

    private final AppendInputs inputs;
    private final FirnLog log;
    private final Target rolling;
    private final Target measured;

    /** A topic with an appender that suits the shape. */
    private static final class Target implements AutoCloseable {
        private final ExclusiveAppender appender;
        private final TopicAppender topic;
        private final Batch batch;

        Target(Partition partition, AppendShape.Way way) {
            if (way == AppendShape.Way.TOPIC) {
                topic = partition.topic().openAppender();
                appender = null;
                batch = topic.newBatch();
            } else {
                topic = null;
                appender = partition.openExclusiveAppender();
                batch = appender.newBatch();
            }
        }

        @Override
        public void close() {
            if (topic != null) {
                topic.close();
            } else {
                appender.close();
            }
        }
    }

    ShapedAppends(AppendShape shape, String directory, int segmentMib) throws IOException {
        inputs = new AppendInputs(shape);
        log = FirnLog.open(directory);
        rolling = new Target(log.rolling(Durability.WRITTEN), shape.way());
        measured = new Target(log.measured(Durability.WRITTEN, segmentMib), shape.way());
    }

    /** Returns an append to a topic that rolls and deletes segments. */
    LongSupplier warmUp(AppendShape.Way way) {
        return to(rolling, way);
    }

    /** Returns an append to one segment whose pages are present. */
    LongSupplier measured(AppendShape.Way way) {
        return to(measured, way);
    }

    private LongSupplier to(Target target, AppendShape.Way way) {
        return switch (way) {
            case ARRAY -> () -> array(target.appender);
            case BUFFER -> () -> buffer(target.appender);
            case KEYED -> () -> keyed(target.appender);
            case TOPIC -> () -> topic(target.topic);
            case HEADER -> () -> header(target.appender, target.batch);
            case BATCH -> () -> batch(target.appender, target.batch);
            case KEYED_BATCH -> () -> keyedBatch(target.appender, target.batch);
            case BUFFER_BATCH -> () -> bufferBatch(target.appender, target.batch);
        };
    }

    private long array(ExclusiveAppender appender) {
        inputs.next();
        return appender.append(inputs.value());
    }

    private long buffer(ExclusiveAppender appender) {
        inputs.next();
        return appender.append(inputs.buffer(), 0, inputs.length());
    }

    private long keyed(ExclusiveAppender appender) {
        inputs.next();
        return appender.append(inputs.key(), inputs.value());
    }

    private long topic(TopicAppender appender) {
        inputs.next();
        return appender.append(inputs.key(), inputs.value()).offset();
    }

    private long header(ExclusiveAppender appender, Batch batch) {
        inputs.next();
        batch.clear()
                .key(inputs.key())
                .value(inputs.value())
                .header(AppendShape.HEADER_NAME, HEADER_VALUE)
                .add();
        return appender.append(batch);
    }

    private long batch(ExclusiveAppender appender, Batch batch) {
        batch.clear();
        for (int i = 0; i < AppendShape.BATCH_RECORDS; i++) {
            inputs.next();
            batch.add(inputs.value());
        }
        return appender.append(batch);
    }

    private long keyedBatch(ExclusiveAppender appender, Batch batch) {
        batch.clear();
        for (int i = 0; i < AppendShape.BATCH_RECORDS; i++) {
            inputs.next();
            batch.add(inputs.key(), inputs.value());
        }
        return appender.append(batch);
    }

    private long bufferBatch(ExclusiveAppender appender, Batch batch) {
        batch.clear();
        for (int i = 0; i < AppendShape.BATCH_RECORDS; i++) {
            inputs.next();
            batch.value(inputs.buffer(), 0, inputs.length()).add();
        }
        return appender.append(batch);
    }

    @Override
    public void close() {
        rolling.close();
        measured.close();
        log.close();
    }
}
