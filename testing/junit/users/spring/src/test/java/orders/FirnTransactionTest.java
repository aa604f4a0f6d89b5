package orders;

import io.firn.junit.FirnKafka;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;

@SpringBootTest
@FirnKafka(
        topics = {"orders:3", "invoices", "orders-dlt"},
        cleanTopics = FirnKafka.CleanTopics.PER_CLASS,
        bootstrapServersProperty = "spring.kafka.bootstrap-servers")
@DirtiesContext
@ActiveProfiles("transactions")
class FirnTransactionTest extends TransactionTests {}
