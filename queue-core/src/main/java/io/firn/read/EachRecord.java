package io.firn.read;

import io.firn.LogRecord;
import io.firn.RecordHandler;
import io.firn.RecordHandler.Action;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Hands records to a consumer, whatever it thinks of them. Used again, so that it is no garbage.
 */
final class EachRecord implements RecordHandler {
    private Consumer<? super LogRecord> consumer;

    EachRecord with(Consumer<? super LogRecord> target) {
        consumer = Objects.requireNonNull(target, "consumer");
        return this;
    }

    @Override
    public Action onRecord(LogRecord record) {
        consumer.accept(record);
        return Action.CONTINUE;
    }
}
