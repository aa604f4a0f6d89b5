package io.firn.examples.micronaut;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TailerLoop;
import io.firn.TailerOptions;
import io.micronaut.context.event.ShutdownEvent;
import io.micronaut.context.event.StartupEvent;
import io.micronaut.runtime.event.annotation.EventListener;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Reads orders on a thread of its own. */
@Singleton
class Billing {
    private final LogStore store;
    private final List<String> bills = new CopyOnWriteArrayList<>();
    private TailerLoop loop;
    private Thread thread;

    Billing(LogStore store) {
        this.store = store;
    }

    @EventListener
    void start(StartupEvent event) {
        Tailer tailer = store.openTopic("orders").openTailer(TailerOptions.at("billing"));
        loop = TailerLoop.of(tailer).onError(error -> Action.RETRY);
        thread =
                new Thread(
                        () -> {
                            try (tailer) { // which commits the cursor
                                loop.run(this::bill);
                            }
                        });
        thread.start();
    }

    /** Called before the store is closed. */
    @EventListener
    void stop(ShutdownEvent event) throws InterruptedException {
        loop.stop();
        thread.join();
    }

    private Action bill(LogRecord order) {
        bills.add("Bill " + UTF_8.decode(order.value()));
        return Action.CONTINUE;
    }

    /** Returns what was billed since the start. */
    List<String> bills() {
        return bills;
    }
}
