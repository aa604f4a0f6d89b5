package io.firn.store;

import io.firn.ClosedException;
import io.firn.host.ServiceAttachedException;
import io.firn.host.StoreService;
import io.firn.store.StoreEnd.CloseSteps;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.concurrent.GuardedBy;

/** The services that are attached to a store. Thread-safe; calls no service under its monitor. */
final class Services {
    private final Path store;

    @GuardedBy("this")
    private final List<StoreService> attached = new ArrayList<>();

    @GuardedBy("this")
    private boolean ended;

    Services(Path store) {
        this.store = store;
    }

    void attach(StoreService service) {
        String role = service.role();
        StoreService other = tryAttach(service, role);
        if (other != null) {
            throw new ServiceAttachedException(
                    "the store "
                            + store
                            + " has a "
                            + role
                            + " already, "
                            + other
                            + ": use that one, or close it first");
        }
    }

    /** Returns the service that has the role; null if the new one is attached. */
    @SuppressWarnings("ReferenceEquality") // this very service
    private synchronized StoreService tryAttach(StoreService service, String role) {
        if (ended) {
            throw new ClosedException("the store " + store + " is closed");
        }
        for (StoreService each : attached) {
            if (each == service) {
                return null;
            }
            if (role != null && role.equals(each.role())) {
                return each;
            }
        }
        attached.add(service);
        return null;
    }

    @SuppressWarnings("ReferenceEquality") // this very service
    synchronized void detach(StoreService service) {
        attached.removeIf(each -> each == service);
    }

    /** Lets no more be attached; returns false if that was so before. */
    synchronized boolean beginEnd() {
        boolean isFirst = !ended;
        ended = true;
        return isFirst;
    }

    /** Ends each service, the last one that was attached first: it may use those before it. */
    void end(CloseSteps ending) {
        for (StoreService next = takeLast(); next != null; next = takeLast()) {
            ending.run(List.of(next::onStoreClosing));
        }
    }

    private synchronized StoreService takeLast() {
        return attached.isEmpty() ? null : attached.remove(attached.size() - 1);
    }
}
