import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A Flink job, with its cluster in this process, that copies each partition of a topic to the same
 * one of another topic: BOOTSTRAP FROM TO CHECKPOINTS GUARANTEE NAMING DEATH. GUARANTEE is one of
 * DeliveryGuarantee, NAMING one of TransactionNamingStrategy. Begins with the last checkpoint in
 * the directory CHECKPOINTS. Some seconds after a task was started it throws; the job is then
 * restored from its last checkpoint. Runs until it is killed, or, when the file DEATH exists, until
 * its next checkpoint is complete, whose transactions are not committed then, or not all of them.
 */
public final class FlinkCopy {
    private static final int PARALLELISM = 2;
    private static final String LOOPBACK = "127.0.0.1";
    private static final Duration CHECKPOINT_EVERY = Duration.ofMillis(300);

    /** Longer than a server or this process is ever gone: what is open longer is lost. */
    private static final int TRANSACTION_TIMEOUT_MS = 120_000;

    private FlinkCopy() {}

    public static void main(String[] arguments) throws Exception {
        Path checkpoints = Path.of(arguments[3]);
        Configuration config = new Configuration();
        config.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
        config.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, Integer.MAX_VALUE);
        config.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(200));
        config.set(RestOptions.BIND_ADDRESS, LOOPBACK);
        config.set(JobManagerOptions.BIND_HOST, LOOPBACK);
        config.set(TaskManagerOptions.BIND_HOST, LOOPBACK);
        Optional<Path> last = last(checkpoints);
        last.ifPresent(
                found -> config.set(StateRecoveryOptions.SAVEPOINT_PATH, found.toUri().toString()));
        System.out.println("begins with " + last.map(Path::getFileName));
        Thread death = new Thread(() -> awaitDeath(checkpoints, Path.of(arguments[6])));
        death.setDaemon(true);
        death.start();

        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM, config);
        env.enableCheckpointing(CHECKPOINT_EVERY.toMillis(), CheckpointingMode.EXACTLY_ONCE);
        KafkaSource<Tuple2<Integer, String>> source =
                KafkaSource.<Tuple2<Integer, String>>builder()
                        .setBootstrapServers(arguments[0])
                        .setTopics(arguments[1])
                        .setGroupId("flink-copy")
                        .setProperty("isolation.level", "read_committed")
                        .setStartingOffsets(OffsetsInitializer.earliest())
                        .setDeserializer(new Reading())
                        .build();
        KafkaSink<Tuple2<Integer, String>> sink =
                KafkaSink.<Tuple2<Integer, String>>builder()
                        .setBootstrapServers(arguments[0])
                        .setProperty("transaction.timeout.ms", "" + TRANSACTION_TIMEOUT_MS)
                        .setRecordSerializer(
                                KafkaRecordSerializationSchema.<Tuple2<Integer, String>>builder()
                                        .setTopic(arguments[2])
                                        .setPartitioner(
                                                (record, key, value, topic, partitions) ->
                                                        record.f0)
                                        .setValueSerializationSchema(new Writing())
                                        .build())
                        .setDeliveryGuarantee(DeliveryGuarantee.valueOf(arguments[4]))
                        .setTransactionalIdPrefix("flink-copy")
                        .setTransactionNamingStrategy(
                                TransactionNamingStrategy.valueOf(arguments[5]))
                        .build();
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "source")
                .uid("source")
                .map(new Failing())
                .uid("failing")
                .sinkTo(sink)
                .uid("sink");
        env.execute("copy");
    }

    /** Ends the process, as a kill would, after the first checkpoint that follows the order. */
    private static void awaitDeath(Path checkpoints, Path order) {
        while (!Files.exists(order)) {
            LockSupport.parkNanos(50_000_000);
        }
        Optional<Path> before = Optional.empty();
        while (true) {
            try {
                Optional<Path> now = last(checkpoints);
                if (before.isPresent() && !now.equals(before)) {
                    Runtime.getRuntime().halt(1);
                }
                before = now;
            } catch (IOException | UncheckedIOException e) {
                // one was deleted meanwhile
            }
            LockSupport.parkNanos(500_000);
        }
    }

    /** Returns the directory of the last complete checkpoint, of whichever job. */
    private static Optional<Path> last(Path checkpoints) throws IOException {
        if (!Files.exists(checkpoints)) {
            return Optional.empty();
        }
        try (Stream<Path> all = Files.walk(checkpoints, 3)) {
            return all.filter(each -> each.endsWith("_metadata"))
                    .map(Path::getParent)
                    .max(Comparator.comparingLong(FlinkCopy::number));
        }
    }

    private static long number(Path checkpoint) {
        return Long.parseLong(checkpoint.getFileName().toString().substring("chk-".length()));
    }

    /** A record's partition and value. */
    private static final class Reading
            implements KafkaRecordDeserializationSchema<Tuple2<Integer, String>> {
        private static final long serialVersionUID = 1;

        @Override
        public void deserialize(
                ConsumerRecord<byte[], byte[]> record, Collector<Tuple2<Integer, String>> out) {
            out.collect(
                    Tuple2.of(
                            record.partition(),
                            new String(record.value(), StandardCharsets.UTF_8)));
        }

        @Override
        public TypeInformation<Tuple2<Integer, String>> getProducedType() {
            return Types.TUPLE(Types.INT, Types.STRING);
        }
    }

    /** A record's value. */
    private static final class Writing implements SerializationSchema<Tuple2<Integer, String>> {
        private static final long serialVersionUID = 1;

        @Override
        public byte[] serialize(Tuple2<Integer, String> record) {
            return record.f1.getBytes(StandardCharsets.UTF_8);
        }
    }

    /** Returns what it gets, but throws after some seconds, in one of several places. */
    private static final class Failing
            extends RichMapFunction<Tuple2<Integer, String>, Tuple2<Integer, String>>
            implements CheckpointedFunction, CheckpointListener {
        private static final long serialVersionUID = 1;
        private static final long SOONEST_MS = 1_000;
        private static final long LATEST_MS = 8_000;

        private enum Place {
            RECORD,
            SNAPSHOT,
            CHECKPOINT_COMPLETE
        }

        private transient Place place;
        private transient long failsNs;

        @Override
        public void open(OpenContext context) {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            place = Place.values()[random.nextInt(Place.values().length)];
            failsNs = System.nanoTime() + random.nextLong(SOONEST_MS, LATEST_MS) * 1_000_000;
        }

        @Override
        public Tuple2<Integer, String> map(Tuple2<Integer, String> record) {
            passes(Place.RECORD);
            return record;
        }

        @Override
        public void initializeState(FunctionInitializationContext context) {}

        @Override
        public void snapshotState(FunctionSnapshotContext context) {
            passes(Place.SNAPSHOT);
        }

        @Override
        public void notifyCheckpointComplete(long checkpointId) {
            passes(Place.CHECKPOINT_COMPLETE);
        }

        private void passes(Place here) {
            if (here == place && System.nanoTime() - failsNs > 0) {
                System.out.println("a task fails at " + here);
                throw new IllegalStateException("a task is to fail here");
            }
        }
    }
}
