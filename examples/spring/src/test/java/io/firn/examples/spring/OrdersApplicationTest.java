package io.firn.examples.spring;

import static io.firn.api.Waiting.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.RecordId;
import io.firn.spring.FirnServerLifecycle;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The application in the process of the test. */
class OrdersApplicationTest {
    @TempDir Path directory;

    @Test
    void shouldBillOrdersAndPutThoseThatItCannotBillIntoTheDeadLetterTopic() {
        try (ConfigurableApplicationContext context =
                SpringApplication.run(
                        OrdersApplication.class,
                        "--server.port=0",
                        "--firn.server.port=0",
                        "--firn.directory=" + directory)) {
            Orders orders = context.getBean(Orders.class);
            RecordId good = orders.place(new Order("alice", 7));
            orders.place(new Order("alice", 0));
            await("a bill", () -> !orders.bills().isEmpty());
            assertEquals(List.of(new Bill(good, "alice", 7)), orders.bills());
            await("a dead letter", () -> !orders.refused("firn-message").isEmpty());
            assertEquals(List.of("the amount is 0"), orders.refused("firn-message"));
            assertTrue(context.getBean(FirnServerLifecycle.class).port() > 0);
        }
    }
}
