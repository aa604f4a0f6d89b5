/** Simulated media, which forget in a crash whatever was not forced. */
package io.firn.sim;
