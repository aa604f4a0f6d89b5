package orders;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.kafka.core.KafkaTemplate;

/** Without transactions. */
abstract class RetryTests extends OrdersTests {
    @Autowired Shipping shipping;
    @Autowired KafkaTemplate<Object, Object> template;

    @Test
    void shouldTryAParcelAgainWhileOthersAreShipped() {
        for (String parcel : List.of("first", "without an address", "second")) {
            template.send("parcels", parcel).join();
        }
        await("the lost parcel", () -> shipping.lost().equals(List.of("without an address")));
        assertEquals(3, Collections.frequency(shipping.tried(), "without an address"));
        assertEquals(List.of("first", "second"), shipping.delivered());
    }
}
