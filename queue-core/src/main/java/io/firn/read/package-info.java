/** Finding and handing out batches and records. */
package io.firn.read;
