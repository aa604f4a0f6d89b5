/** The cluster that is followed. All uses of Kafka's classes are here. */
package io.firn.shadow.source;
