/** Background work of a store: duties, the threads that run them, back-off, signals. */
package io.firn.background;
