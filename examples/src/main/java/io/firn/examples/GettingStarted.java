package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.nio.file.Path;
import java.util.List;

public final class GettingStarted {
    public static void main(String[] args) {
        Path dir = Path.of(args.length > 0 ? args[0] : "orders-log");
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            Topic orders = store.ensureTopic("orders", TopicOptions.defaults());

            try (Appender appender = orders.partition(0).openAppender()) {
                for (String order : List.of("3 apples", "5 pears")) {
                    long offset = appender.append(order.getBytes(UTF_8));
                    System.out.println("Stored at offset " + offset + ": " + order);
                }
            }

            try (Tailer tailer = orders.openTailer(TailerOptions.at("billing"))) {
                int billed =
                        tailer.forEach(
                                order -> System.out.println("Bill " + UTF_8.decode(order.value())),
                                100);
                System.out.println("Billed: " + billed);
            }
        }
    }
}
