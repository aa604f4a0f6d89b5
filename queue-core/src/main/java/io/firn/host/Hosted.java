package io.firn.host;

import io.firn.InvalidOptionException;
import java.util.Objects;

/** Objects of the API as those that Firn's own implementation makes of them. */
final class Hosted {
    private Hosted() {}

    static <H extends P, P> H as(Class<H> hosted, P object) {
        Objects.requireNonNull(object);
        if (object instanceof ReadOnlyView<?> view && hosted.isInstance(view.hosted())) {
            return hosted.cast(view.hosted());
        }
        if (!hosted.isInstance(object)) {
            throw new InvalidOptionException(
                    "expected an object of a store that Firn opened, found one of "
                            + object.getClass().getName()
                            + ": unwrap it first");
        }
        return hosted.cast(object);
    }
}
