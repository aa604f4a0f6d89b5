package io.firn.bench;

import io.firn.Durability;

/**
 * A line of the table.
 *
 * @param name what is done
 * @param place where: memory or disk
 * @param durability what is promised; null where nothing is
 * @param bytes of a record's value
 * @param subject Firn
 * @param beside what it is held against: the floor, or a peer
 */
record Case(
        String name, String place, Durability durability, int bytes, Bench subject, Bench beside) {
    static final String MEMORY = "memory";
    static final String DISK = "disk";

    String durabilityName() {
        return durability == null ? "" : durability.name();
    }
}
