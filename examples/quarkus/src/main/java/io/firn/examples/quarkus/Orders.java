package io.firn.examples.quarkus;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.LogStore;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

/** Takes orders. */
@Path("/orders")
public class Orders {
    private final Appender appender;
    private final Billing billing;

    Orders(LogStore store, Billing billing) {
        this.appender = store.openTopic("orders").partition(0).openAppender();
        this.billing = billing;
    }

    /** Returns the offset of an order, which is durable. */
    @POST
    public long place(String order) {
        return appender.append(order.getBytes(UTF_8));
    }

    /** Returns what was billed since the start. */
    @GET
    public String bills() {
        return String.join("\n", billing.bills());
    }
}
