package io.firn.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * The process of a client that writes transactions, to be killed or stopped: each transaction has
 * records in several partitions and moves an offset of a group. Says what it does before it does
 * it, one line each, with the time that all processes of the machine share: see {@link Ledger}.
 *
 * <p>A client that fails is replaced by another one of the same name, as applications do; a process
 * that is fenced ends.
 */
final class LedgerWriter {
    static final String TOPIC = "ledger";
    static final String GROUP = "readers";
    static final int PARTITIONS = 8;
    static final int TIMEOUT_MS = 3_000;
    private static final int MOST_RECORDS = 8;
    private static final int MOST_REPEATS = 10;

    private final String bootstrap;
    private final int number;
    private final String process;
    private final Random choices;
    private ConsumerGroupMetadata outsider;
    private int clients;

    private LedgerWriter(String bootstrap, int number, int process) {
        this.bootstrap = bootstrap;
        this.number = number;
        this.process = nameOf(number) + "." + process;
        this.choices = new Random(31L * number + process);
    }

    static String nameOf(int number) {
        return "writer-" + number;
    }

    /** {@code LedgerWriter BOOTSTRAP NUMBER PROCESS}: writes until its input ends. */
    public static void main(String[] arguments) throws Exception {
        LedgerWriter writer =
                new LedgerWriter(
                        arguments[0],
                        Integer.parseInt(arguments[1]),
                        Integer.parseInt(arguments[2]));
        Thread input =
                new Thread(
                        () -> {
                            try {
                                while (System.in.read() >= 0) {
                                    continue;
                                }
                            } catch (java.io.IOException e) {
                                Runtime.getRuntime().halt(1);
                            }
                            writer.isEnded = true;
                        },
                        "input");
        input.setDaemon(true);
        input.start();
        writer.run();
        System.exit(0); // clients may still want to close in peace
    }

    private volatile boolean isEnded;

    private static void say(String what) {
        System.out.println(System.nanoTime() + " " + what);
    }

    private Map<String, Object> client(Map<String, Object> more) {
        Map<String, Object> all = new HashMap<>(more);
        all.put("bootstrap.servers", bootstrap);
        all.put("reconnect.backoff.max.ms", 100);
        all.put("retry.backoff.ms", 20);
        all.put("request.timeout.ms", 1_500);
        return all;
    }

    private void run() {
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(
                        client(Map.of("group.id", GROUP)),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            outsider = consumer.groupMetadata();
        }
        while (!isEnded) {
            KafkaProducer<String, String> producer =
                    new KafkaProducer<>(
                            client(
                                    Map.of(
                                            "transactional.id", nameOf(number),
                                            "transaction.timeout.ms", TIMEOUT_MS,
                                            "max.block.ms", 5_000,
                                            "delivery.timeout.ms", 4_000,
                                            "linger.ms", 0)),
                            new StringSerializer(),
                            new StringSerializer());
            try {
                producer.initTransactions();
                String client = process + "." + clients++;
                say("client " + client);
                int next = 0;
                while (!isEnded && write(producer, client + ":" + next)) {
                    next++;
                }
            } catch (ProducerFencedException | InvalidProducerEpochException e) {
                say("fenced");
                return;
            } catch (KafkaException | ExecutionException | IllegalStateException e) {
                // The latter: a late answer met the client while it aborted, and it believes that
                // it still initializes.
                say("failed " + e.getClass().getSimpleName()); // another client
            } catch (InterruptedException e) {
                return;
            } finally {
                producer.close(Duration.ZERO);
            }
        }
    }

    /** Returns false when the producer cannot be used any more. */
    private boolean write(KafkaProducer<String, String> producer, String transaction)
            throws InterruptedException, ExecutionException {
        int records = 1 + choices.nextInt(MOST_RECORDS);
        say("begin " + transaction + " " + records);
        producer.beginTransaction();
        try {
            long place = append(producer, transaction, records);
            TopicPartition mine = new TopicPartition(TOPIC, number);
            producer.sendOffsetsToTransaction(Map.of(mine, new OffsetAndMetadata(place)), outsider);
            if (choices.nextInt(4) == 0) {
                producer.abortTransaction();
                return true;
            }
            say("commit " + transaction + " " + number + " " + place);
        } catch (ExecutionException | KafkaException e) {
            if (isFenced(e)) {
                throw e;
            }
            producer.abortTransaction(); // throws when the client cannot
            return true;
        }
        commit(producer);
        say("committed " + transaction);
        return true;
    }

    private static boolean isFenced(Exception e) {
        return e instanceof ProducerFencedException || e instanceof InvalidProducerEpochException;
    }

    /** Returns the offset of the first record, in the partition of this writer. */
    private long append(KafkaProducer<String, String> producer, String transaction, int records)
            throws InterruptedException, ExecutionException {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            int partition = i == 0 ? number : choices.nextInt(PARTITIONS);
            sent.add(
                    producer.send(
                            new ProducerRecord<>(TOPIC, partition, null, transaction + ":" + i)));
        }
        for (Future<RecordMetadata> each : sent) {
            each.get();
        }
        return sent.get(0).get().offset();
    }

    /** What has no answer in time is asked again, as the client's documentation tells. */
    private static void commit(KafkaProducer<String, String> producer) {
        for (int i = 0; true; i++) {
            try {
                producer.commitTransaction();
                return;
            } catch (TimeoutException e) {
                if (i == MOST_REPEATS) {
                    throw e;
                }
            }
        }
    }
}
