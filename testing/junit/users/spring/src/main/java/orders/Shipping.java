package orders;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.context.annotation.Profile;
import org.springframework.kafka.annotation.BackOff;
import org.springframework.kafka.annotation.DltHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.stereotype.Component;

/**
 * Ships parcels; one that cannot be delivered is tried again from other topics, so that the next
 * can go.
 */
@Component
@Profile("!transactions") // retries by topics and transactions do not go together in spring-kafka
public class Shipping {
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final List<String> tried = new CopyOnWriteArrayList<>();
    private final List<String> lost = new CopyOnWriteArrayList<>();

    @RetryableTopic(attempts = "3", backOff = @BackOff(delay = 200, multiplier = 2))
    @KafkaListener(topics = "parcels", groupId = "shipping")
    void ship(String parcel) {
        tried.add(parcel);
        if (parcel.equals("without an address")) {
            throw new IllegalArgumentException(parcel);
        }
        delivered.add(parcel);
    }

    @DltHandler
    void giveUp(String parcel) {
        lost.add(parcel);
    }

    public List<String> delivered() {
        return delivered;
    }

    public List<String> tried() {
        return tried;
    }

    public List<String> lost() {
        return lost;
    }
}
