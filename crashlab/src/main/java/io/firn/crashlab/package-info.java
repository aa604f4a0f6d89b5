/**
 * Stores on simulated media: crashed at every step, damaged, and compared with what was promised.
 */
package io.firn.crashlab;
