package orders;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** With transactions. */
abstract class TransactionTests extends OrdersTests {

    @Test
    void shouldPlaceAllOrdersOfACartOrNone() {
        shouldRefuse("carol", List.of("book", " "));
        orders.place("carol", List.of("pen"));
        await("the invoice", () -> values("invoices", "carol").equals(List.of("invoice for pen")));
        assertEquals(List.of("pen"), values("orders", "carol"));
    }

    @Test
    void shouldLeaveOutInvoicesOfAttemptsThatFailed() {
        orders.place("dave", List.of("unpayable", "pen"));
        await("the dead letter", () -> !values("orders-dlt", "dave").isEmpty());
        await("the invoice", () -> values("invoices", "dave").equals(List.of("invoice for pen")));
    }
}
