/** Appenders, the writer, and the block that it will need next. */
package io.firn.append;
