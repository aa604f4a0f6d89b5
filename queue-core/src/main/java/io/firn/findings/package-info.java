/**
 * The conditions of a store that its user should know of: which are present, and the listeners for
 * them.
 */
package io.firn.findings;
