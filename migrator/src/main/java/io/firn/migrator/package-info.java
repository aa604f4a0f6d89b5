/** Policies that say what to move between tiers, and the migrator that does it. */
package io.firn.migrator;
