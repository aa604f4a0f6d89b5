/** Transactions: the APIs of their coordinator, and those for administrators. */
package io.firn.server.tx;
