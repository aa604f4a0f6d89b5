/** What a storage tier must do. */
package io.firn.spi;
