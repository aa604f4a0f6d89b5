package io.firn.bench;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.ObjectName;

/** What is alive in the heap of this process, after a full collection, by class. */
final class HeapHistogram {
    private static final int COLUMNS = 4;

    /**
     * A class and its objects.
     *
     * @param name as the JVM writes it: {@code [J} for arrays of long
     */
    record Entry(String name, long instances, long bytes) {}

    /** As the JVM wrote it, since thousands of objects would be in the next histogram. */
    private final String text;

    private HeapHistogram(String text) {
        this.text = text;
    }

    private Map<String, Entry> entries() {
        Map<String, Entry> entries = new TreeMap<>();
        for (String line : text.split("\n")) {
            String[] words = line.trim().split("\\s+");
            if (words.length >= COLUMNS && words[0].endsWith(":")) {
                long instances = Long.parseLong(words[1]);
                long bytes = Long.parseLong(words[2]);
                entries.put(words[3], new Entry(words[3], instances, bytes));
            }
        }
        return entries;
    }

    /** Collects garbage and counts. */
    static HeapHistogram take() {
        try {
            Object histogram =
                    ManagementFactory.getPlatformMBeanServer()
                            .invoke(
                                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                    "gcClassHistogram",
                                    new Object[] {new String[0]},
                                    new String[] {String[].class.getName()});
            return new HeapHistogram(histogram.toString());
        } catch (JMException e) {
            throw new IllegalStateException("this JVM makes no heap histogram: " + e, e);
        }
    }

    /** Returns a class; no objects if there are none. */
    Entry of(String name) {
        return entries().getOrDefault(name, new Entry(name, 0, 0));
    }

    /** Returns what has been added since an earlier one, the largest first, but not that one. */
    List<Entry> since(HeapHistogram earlier) {
        Map<String, Entry> before = earlier.entries();
        List<Entry> grown = new ArrayList<>();
        for (Entry each : entries().values()) {
            Entry was = before.getOrDefault(each.name, new Entry(each.name, 0, 0));
            long own = each.name.equals("[B") ? earlier.text.length() : 0;
            grown.add(
                    new Entry(
                            each.name,
                            each.instances - was.instances,
                            each.bytes - was.bytes - own));
        }
        grown.sort(Comparator.comparingLong(Entry::bytes).reversed());
        return grown;
    }
}
