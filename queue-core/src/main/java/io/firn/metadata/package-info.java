/** The small files of a store: identity, topics and their options, counters. */
package io.firn.metadata;
