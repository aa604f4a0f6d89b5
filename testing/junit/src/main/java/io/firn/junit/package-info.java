/**
 * Tests against Firn: a server for Kafka clients in the process of the test ({@link
 * io.firn.junit.FirnKafka}, {@link io.firn.junit.FirnKafkaServer}), and a store on a simulated disk
 * whose power a test can cut ({@link io.firn.junit.FirnStore}, {@link
 * io.firn.junit.CrashableStore}).
 *
 * <p>The classes work without JUnit, too; the annotations need JUnit 5.13 or newer.
 */
package io.firn.junit;
