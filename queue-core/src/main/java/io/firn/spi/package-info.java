/** The interfaces of a storage tier and of the medium below it, for authors of a tier. */
package io.firn.spi;
