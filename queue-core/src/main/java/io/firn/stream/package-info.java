/**
 * Records as a stream of {@link java.util.concurrent.Flow}: {@link io.firn.stream.TailerPublisher}
 * hands out copies to subscribers as they ask for them. It uses only the public API.
 */
package io.firn.stream;
