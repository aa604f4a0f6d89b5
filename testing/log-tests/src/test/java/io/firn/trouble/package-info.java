/** Bad days of a store on files: damage, full disks, failing media, second processes. */
package io.firn.trouble;
