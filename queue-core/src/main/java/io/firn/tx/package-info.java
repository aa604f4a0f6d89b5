/** Transactions: what they do, and the journal that says how they ended. */
package io.firn.tx;
