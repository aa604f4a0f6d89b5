package io.firn.examples.spring;

import io.firn.RecordId;

/**
 * What a customer owes.
 *
 * @param order the place of the order
 * @param customer the customer
 * @param amount the price
 */
public record Bill(RecordId order, String customer, int amount) {}
