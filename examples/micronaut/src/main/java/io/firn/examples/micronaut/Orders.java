package io.firn.examples.micronaut;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.LogStore;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;

/** Takes orders. */
@Controller("/orders")
@ExecuteOn(TaskExecutors.BLOCKING) // an append waits for the disk
@Consumes(MediaType.TEXT_PLAIN)
@Produces(MediaType.TEXT_PLAIN)
class Orders {
    private final Appender appender;
    private final Billing billing;

    Orders(LogStore store, Billing billing) {
        this.appender = store.openTopic("orders").partition(0).openAppender();
        this.billing = billing;
    }

    /** Returns the offset of an order, which is durable. */
    @Post
    String place(@Body String order) {
        return Long.toString(appender.append(order.getBytes(UTF_8)));
    }

    /** Returns what was billed since the start. */
    @Get
    String bills() {
        return String.join("\n", billing.bills());
    }
}
