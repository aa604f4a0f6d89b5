package io.firn.examples.spring;

import io.firn.LogStore;
import io.firn.RecordId;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.spring.FirnTemplate;
import io.firn.spring.RecordCodec;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Takes orders, and shows what became of them. */
@RestController
class Orders {
    private final FirnTemplate template;
    private final LogStore store;
    private final RecordCodec codec;

    Orders(FirnTemplate template, LogStore store, RecordCodec codec) {
        this.template = template;
        this.store = store;
        this.codec = codec;
    }

    @PostMapping("/orders")
    RecordId place(@RequestBody Order order) {
        return template.append("orders", order.customer(), order); // durable when it returns
    }

    @GetMapping("/bills")
    List<Bill> bills() {
        try (Tailer tailer = store.openTopic("bills").openTailer()) {
            return tailer.stream()
                    .map(each -> (Bill) codec.fromBytes(each.value(), Bill.class))
                    .toList();
        }
    }

    /** Returns a header of each record that could not be billed. */
    @GetMapping("/refused/{header}")
    List<String> refused(@PathVariable("header") String header) {
        try (Tailer tailer = store.openTopic("orders.dlt").openTailer()) {
            return tailer.stream()
                    .flatMap(each -> each.headers().stream())
                    .filter(each -> each.key().equals(header))
                    .map(StoredRecord.Header::value)
                    .map(each -> (String) codec.fromBytes(each, String.class))
                    .toList();
        }
    }
}
