/**
 * Crash laboratory: stores on simulated media, with power cuts at every operation, I/O errors and
 * corruption, compared with what they had promised.
 */
package io.firn.crashlab;
