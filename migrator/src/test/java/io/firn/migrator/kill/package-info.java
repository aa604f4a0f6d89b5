/** Real kills of a store whose segments are on the move, and what must be left. */
package io.firn.migrator.kill;
