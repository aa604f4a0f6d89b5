/** The log as an application sees it: stores, topics, appenders and tailers. */
package io.firn;
