/** The migrator between tiers, and the policies that decide what it moves. */
package io.firn.migrator;
