/** A tier in persistent memory: pools of blocks, and the ways to reach them. */
package io.firn.pmem;
