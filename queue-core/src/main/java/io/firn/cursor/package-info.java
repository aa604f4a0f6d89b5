/**
 * Cursors: positions of readers that the store keeps. Main classes: {@link io.firn.cursor.Cursors},
 * those of a topic, and {@link io.firn.cursor.CursorLog}, one of them; {@link
 * io.firn.cursor.CursorGroup} has the order in which they are persisted. Knows the log and how it
 * is forced; retention asks for the positions through {@link
 * io.firn.log.TopicContext.ReadPositions}.
 */
package io.firn.cursor;
