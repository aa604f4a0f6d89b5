/**
 * Internal: transactions: the requests of producers to their coordinator, and those of
 * administrators. The coordinator itself is the store's; {@link
 * io.firn.server.tx.TransactionHandlers} connects it with the APIs. Knows {@code log} and {@code
 * group}, and nothing knows it but the server.
 */
package io.firn.server.tx;
