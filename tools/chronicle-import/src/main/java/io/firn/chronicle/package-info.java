/**
 * Imports queues of Chronicle Queue; {@code bin/firn import chronicle}. The topic itself says how
 * far an import is: batches end with a record that has the Chronicle index as a header.
 */
package io.firn.chronicle;
