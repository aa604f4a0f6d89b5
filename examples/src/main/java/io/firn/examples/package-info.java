/** One idea per file; {@code HelloLog} first. */
package io.firn.examples;
