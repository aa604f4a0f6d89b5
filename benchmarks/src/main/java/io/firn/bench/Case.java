package io.firn.bench;

import io.firn.Durability;

/**
 * One line of the table of results.
 *
 * @param name the operation
 * @param place memory or disk
 * @param durability null where the subject has none
 * @param bytes of a record's value
 * @param subject the benchmark of Firn
 * @param beside the benchmark it is compared with: the floor, or another system
 */
record Case(
        String name, String place, Durability durability, int bytes, Bench subject, Bench beside) {
    static final String MEMORY = "memory";
    static final String DISK = "disk";

    String durabilityName() {
        return durability == null ? "" : durability.name();
    }
}
