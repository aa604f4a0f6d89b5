/** Power cuts and kills of a store on a simulated medium. */
package io.firn.crash;
