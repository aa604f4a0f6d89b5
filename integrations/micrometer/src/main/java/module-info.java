/** Metrics of a store in a registry of Micrometer. */
module io.firn.micrometer {
    requires transitive io.firn;
    requires transitive micrometer.core;

    exports io.firn.micrometer;
}
