/** Local copies of a Kafka cluster's topics, with the same offsets. */
module io.firn.shadow {
    requires transitive io.firn;
    requires kafka.clients;
    requires static io.firn.annotations;

    exports io.firn.shadow;
}
