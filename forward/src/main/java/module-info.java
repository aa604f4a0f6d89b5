/** Sends what a store has to a Kafka cluster, in order and exactly once. */
module io.firn.forward {
    requires transitive io.firn;
    requires kafka.clients;
    requires static io.firn.annotations;

    exports io.firn.forward;
}
