/**
 * The server for Kafka clients. This describes the jar as it is published, which contains Kafka's
 * message classes and SLF4J, relocated; everything outside of the exported packages is internal.
 */
@SuppressWarnings("requires-automatic") // jose4j's name is in its manifest
module io.firn.server {
    requires transitive io.firn;
    requires io.firn.file;
    requires io.firn.migrator;
    requires io.firn.pmem;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires io.netty.transport.classes.epoll;
    requires java.logging;
    requires java.security.sasl;
    requires jdk.management;
    requires static info.picocli;
    requires static org.jose4j;
    requires transitive java.management;

    uses io.firn.server.ManagementService;

    exports io.firn.server;
    exports io.firn.server.config;

    opens io.firn.server to
            info.picocli;
}
