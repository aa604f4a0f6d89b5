/**
 * Idempotent producers, and what a partition knows of transactions: which are open and hold up
 * readers, and which were aborted. Main class: {@link io.firn.producer.Producers}; it is brought up
 * to date by {@link io.firn.producer.ProducerAppends} and, at open, by {@link
 * io.firn.producer.ProducerReplay}, and stored by {@link io.firn.producer.CheckpointDuty}. Knows
 * how a log is appended to, forced and recovered, and implements their interfaces; which
 * transactions are open in the store it asks {@link io.firn.producer.OpenTransactions}.
 */
package io.firn.producer;
