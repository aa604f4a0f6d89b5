package io.firn.server;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What a logger says for as long as this is open. */
final class Logged implements AutoCloseable {
    private final Logger logger;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Handler handler =
            new Handler() {
                private final SimpleFormatter form = new SimpleFormatter();

                @Override
                public void publish(LogRecord record) {
                    lines.add(form.formatMessage(record) + " " + record.getThrown());
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    Logged(String name) {
        logger = Logger.getLogger(name);
        logger.addHandler(handler);
    }

    boolean has(String words) {
        return lines.stream().anyMatch(line -> line.contains(words));
    }

    long count(String words) {
        return lines.stream().filter(line -> line.contains(words)).count();
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
    }
}
