/** Recovery at open, and what a read-only store sees of a store that another process writes. */
package io.firn.recovery;
