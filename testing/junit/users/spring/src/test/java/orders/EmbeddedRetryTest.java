package orders;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.kafka.test.context.EmbeddedKafka;
import org.springframework.test.annotation.DirtiesContext;

@SpringBootTest
@EmbeddedKafka(
        topics = {"orders-dlt"},
        partitions = 1,
        bootstrapServersProperty = "spring.kafka.bootstrap-servers")
@DirtiesContext
class EmbeddedRetryTest extends RetryTests {}
