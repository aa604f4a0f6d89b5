/**
 * The scrub: reads the sealed segments of a store slowly, again and again, and verifies each batch.
 *
 * <p>So bytes that have changed on a medium are known before a reader needs them, while there may
 * be a copy.
 *
 * <pre>
 * ScrubDuty    a step: verifies some bytes, and decides when the next one is
 * ScrubPlace   how far the present pass is, and the file that keeps it
 * </pre>
 *
 * <p>What is verified is what a reader would get. Where the operating system has a page in memory,
 * that is not what the medium has.
 */
package io.firn.scrub;
