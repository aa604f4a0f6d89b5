package io.firn.management.console;

import java.util.List;

/**
 * A part of a list.
 *
 * @param total how many there are
 * @param page the number of the part, from 0
 * @param size how many are in a part
 */
record Page<T>(long total, int page, int size, List<T> rows) {

    static <T> Page<T> of(List<T> all, int page, int size) {
        int from = (int) Math.min((long) page * size, all.size());
        int to = Math.min(from + size, all.size());
        return new Page<>(all.size(), page, size, List.copyOf(all.subList(from, to)));
    }
}
