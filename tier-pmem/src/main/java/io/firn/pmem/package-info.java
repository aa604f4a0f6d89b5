/** The persistent-memory tier: pools of blocks, and the providers that access them. */
package io.firn.pmem;
