/** What the library promises its users, held against a whole store on the file tier. */
package io.firn.api;
