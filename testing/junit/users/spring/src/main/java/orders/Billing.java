package orders;

import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.stereotype.Component;

/** Writes an invoice for each order. */
@Component
public class Billing {
    private final KafkaTemplate<Object, Object> template;
    private final AtomicInteger attempts = new AtomicInteger();

    Billing(KafkaTemplate<Object, Object> template) {
        this.template = template;
    }

    @KafkaListener(topics = "orders", groupId = "billing", concurrency = "2")
    void bill(String item, @Header(KafkaHeaders.RECEIVED_KEY) String customer) {
        template.send("invoices", customer, "invoice for " + item);
        if (item.equals("unpayable")) {
            attempts.incrementAndGet();
            throw new IllegalStateException("no price for " + item);
        }
    }

    public int attempts() {
        return attempts.get();
    }
}
