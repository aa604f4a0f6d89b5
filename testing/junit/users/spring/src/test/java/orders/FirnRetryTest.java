package orders;

import io.firn.junit.FirnKafka;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.annotation.DirtiesContext;

@SpringBootTest
@FirnKafka(
        topics = {"orders:3", "invoices", "orders-dlt"},
        cleanTopics = FirnKafka.CleanTopics.PER_CLASS,
        bootstrapServersProperty = "spring.kafka.bootstrap-servers")
@DirtiesContext
class FirnRetryTest extends RetryTests {}
