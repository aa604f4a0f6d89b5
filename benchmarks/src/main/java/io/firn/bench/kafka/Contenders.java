package io.firn.bench.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * Creates Firn's server and Kafka's broker for one comparison, below one directory and with the
 * same JVM options.
 *
 * @param directory contains a directory for each server
 */
record Contenders(Path directory, List<String> jvm, String firnClassPath, String kafkaClassPath) {

    /** Returns the command of this JVM's own java with options. */
    static List<String> java(List<String> options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        return command;
    }

    /** Returns a Firn server that is not started yet; its directory has the name. */
    Broker firn(String name, List<String> settings) throws Exception {
        Path place = Files.createDirectories(directory.resolve(name));
        return Broker.firn(java(jvm), firnClassPath, place, settings);
    }

    /** Returns a Firn server with a name of its own, to which loads come over TLS. */
    Broker firn(String name, List<String> settings, LoadTls tls) throws Exception {
        Path place = Files.createDirectories(directory.resolve(name.replace(' ', '-')));
        return Broker.firn(name, java(jvm), firnClassPath, place, settings, tls);
    }

    /** Returns a Firn server with JVM options of its own. */
    Broker firnWith(List<String> options, Path place) throws Exception {
        return Broker.firn(java(options), firnClassPath, place, List.of());
    }

    /** Returns the floor of produce requests, not started yet. */
    Broker floor() throws IOException {
        return Broker.floor(java(jvm), Files.createDirectories(directory.resolve(Broker.FLOOR)));
    }

    /** Returns a Kafka broker that is not started yet; its directory has the name. */
    Broker kafka(String name) throws Exception {
        return kafka(name, List.of());
    }

    /** Returns a Kafka broker with settings, that is not started yet. */
    Broker kafka(String name, List<String> settings) throws Exception {
        Path place = Files.createDirectories(directory.resolve(name));
        return Broker.kafka(java(jvm), kafkaClassPath, place, settings);
    }

    /** Returns a Kafka broker with settings, to which loads come over TLS. */
    Broker kafka(String name, List<String> settings, LoadTls tls) throws Exception {
        Path place = Files.createDirectories(directory.resolve(name));
        return Broker.kafka(java(jvm), kafkaClassPath, place, settings, tls);
    }

    /**
     * Creates a topic with one partition.
     *
     * @param isForced whether Kafka is to force each record before it is acknowledged, which is an
     *     option of the topic there; Firn has an option of the server instead
     */
    static void create(Broker broker, String topic, boolean isForced) throws Exception {
        Map<String, String> configs =
                isForced && !broker.name().equals("Firn")
                        ? Map.of("flush.messages", "1")
                        : Map.of();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1).configs(configs)))
                    .all()
                    .get();
        }
    }
}
