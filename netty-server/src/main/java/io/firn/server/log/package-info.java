/**
 * Internal: topics and their records, as clients see them: metadata, produce, fetch and offsets by
 * time. {@link io.firn.server.log.ServedTopics} has the topics with their configurations; {@code
 * ProduceTask} and {@code FetchTask} are one request each. Knows {@code wire}, {@code security} and
 * {@code quota}, and neither groups nor administration.
 */
package io.firn.server.log;
