/** Local copies of a Kafka cluster's topics, with the same offsets. */
module io.firn.shadow {
    requires transitive io.firn;
    requires kafka.clients;

    exports io.firn.shadow;
}
