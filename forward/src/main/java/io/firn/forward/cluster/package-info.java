/**
 * The cluster that records are sent to. All uses of Kafka's classes are here, and only of those
 * that are its public API: one producer, and one Admin for the topics and the positions.
 */
package io.firn.forward.cluster;
