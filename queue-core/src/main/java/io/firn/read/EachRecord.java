package io.firn.read;

import io.firn.Record;
import io.firn.RecordHandler;
import io.firn.Verdict;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Hands records to a consumer, whatever it thinks of them. Used again, so that it is no garbage.
 */
final class EachRecord implements RecordHandler {
    private Consumer<? super Record> consumer;

    EachRecord with(Consumer<? super Record> target) {
        consumer = Objects.requireNonNull(target, "consumer");
        return this;
    }

    @Override
    public Verdict onRecord(Record record) {
        consumer.accept(record);
        return Verdict.CONTINUE;
    }
}
