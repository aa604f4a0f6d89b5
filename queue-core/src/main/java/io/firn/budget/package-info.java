/** How the heap is divided: each limit that clients can reach is a share of it. */
package io.firn.budget;
