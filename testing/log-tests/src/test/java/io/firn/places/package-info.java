/** A program that {@code bin/check places} runs where the system refuses what a store needs. */
package io.firn.places;
