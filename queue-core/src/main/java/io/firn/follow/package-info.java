/**
 * Readers in other processes: what a writer publishes for them, and how a read-only store shows it.
 * The writer's side is {@link io.firn.follow.PublishedOffsetsFile}, which the log calls through
 * {@link io.firn.log.OffsetPublisher}. A read-only store follows the file ({@link
 * io.firn.follow.FollowedLogs}), or the marks of segments where nothing is published ({@link
 * io.firn.follow.FollowedSegments}).
 */
package io.firn.follow;
