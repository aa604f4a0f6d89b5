package io.firn.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * What {@link AppendTurns} appends: how long the values are, and what a record has besides.
 *
 * @param way how the records are handed over
 * @param least the length of the shortest value
 * @param most the length of the longest value
 */
record AppendShape(Way way, int least, int most) {
    static final int KEY_BYTES = 16;
    static final int BATCH_RECORDS = 16;
    static final String HEADER_NAME = "traceparent";

    /** How records are handed over. */
    enum Way {
        ARRAY("append(value)", 1, false, false),
        BUFFER("append(buffer, from, length)", 1, false, false),
        KEYED("append(key, value)", 1, true, false),
        TOPIC("TopicAppender.append(key, value)", 1, true, false),
        HEADER("append(batch of 1, key and header)", 1, true, true),
        BATCH("batch of 16, add(value)", BATCH_RECORDS, false, false),
        KEYED_BATCH("batch of 16, add(key, value)", BATCH_RECORDS, true, false),
        BUFFER_BATCH("batch of 16, value(buffer).add()", BATCH_RECORDS, false, false);

        private final String text;
        final int records;
        final boolean hasKey;
        final boolean hasHeader;

        Way(String text, int records, boolean hasKey, boolean hasHeader) {
            this.text = text;
            this.records = records;
            this.hasKey = hasKey;
            this.hasHeader = hasHeader;
        }
    }

    /** Returns what is measured. */
    static List<AppendShape> all() {
        List<AppendShape> all = new ArrayList<>();
        for (Way way : Way.values()) {
            for (int bytes : new int[] {64, 256, 1024}) {
                all.add(new AppendShape(way, bytes, bytes));
            }
            all.add(new AppendShape(way, 32, 96));
            all.add(new AppendShape(way, 128, 384));
        }
        return all;
    }

    /** Returns about the bytes of an append. */
    int size() {
        return 80 + way.records * ((least + most) / 2 + 48);
    }

    /** Returns the length of the values, for a table. */
    String bytes() {
        return least == most ? Integer.toString(least) : least + "-" + most;
    }

    @Override
    public String toString() {
        return way.text;
    }
}
