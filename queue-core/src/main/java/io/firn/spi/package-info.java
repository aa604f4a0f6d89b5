/** What a storage tier and the medium under it must do. For those who write a tier. */
package io.firn.spi;
