/**
 * Programs that inspect and repair stores; {@code bin/firn-inspect} and {@code bin/firn-repair}.
 */
package io.firn.tools;
