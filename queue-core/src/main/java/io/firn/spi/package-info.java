/** The interfaces of a storage tier, for authors of a tier. */
package io.firn.spi;
