/**
 * Programs that inspect, repair and export stores; {@code bin/firn inspect}, {@code bin/firn
 * repair} and {@code bin/firn export}.
 */
package io.firn.tools;
