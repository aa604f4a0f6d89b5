/** Real kills of a real process, and what must be left. */
package io.firn.kill;
