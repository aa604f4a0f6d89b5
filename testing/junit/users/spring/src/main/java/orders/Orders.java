package orders;

import java.util.List;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Service;

/** Places orders: all of a cart, or none if there are transactions. */
@Service
public class Orders {
    private final KafkaTemplate<Object, Object> template;

    Orders(KafkaTemplate<Object, Object> template) {
        this.template = template;
    }

    public void place(String customer, List<String> items) {
        if (template.isTransactional()) {
            template.executeInTransaction(
                    inTransaction -> {
                        send(customer, items);
                        return null;
                    });
        } else {
            send(customer, items);
        }
    }

    private void send(String customer, List<String> items) {
        for (String item : items) {
            if (item.isBlank()) {
                throw new IllegalArgumentException("an order without an item");
            }
            template.send("orders", customer, item).join();
        }
    }
}
