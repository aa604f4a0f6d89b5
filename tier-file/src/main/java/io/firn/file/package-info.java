/** The file tier: segments as files in a directory per partition. */
package io.firn.file;
