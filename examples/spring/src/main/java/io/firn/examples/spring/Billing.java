package io.firn.examples.spring;

import io.firn.LogRecord;
import io.firn.RecordId;
import io.firn.spring.FirnHeader;
import io.firn.spring.FirnListener;
import io.firn.spring.FirnTemplate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Bills orders, and looks at those that could not be billed. */
@Component
class Billing {
    private static final Logger LOG = LoggerFactory.getLogger(Billing.class);

    private final FirnTemplate template;

    Billing(FirnTemplate template) {
        this.template = template;
    }

    @FirnListener(topic = "orders", cursor = "billing", concurrency = 2)
    void bill(Order order, LogRecord record) {
        if (order.amount() <= 0) {
            throw new IllegalArgumentException("the amount is " + order.amount());
        }
        RecordId place = new RecordId(record.partition(), record.offset());
        template.append(
                "bills", order.customer(), new Bill(place, order.customer(), order.amount()));
    }

    @FirnListener(topic = "orders.dlt", cursor = "review")
    void review(Order order, @FirnHeader("firn-message") String cause) {
        LOG.warn("{} was not billed: {}", order, cause);
    }
}
