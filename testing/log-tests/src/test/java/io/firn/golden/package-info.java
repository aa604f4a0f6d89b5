/** The format of a whole store on files, beside Kafka's own tools. */
package io.firn.golden;
