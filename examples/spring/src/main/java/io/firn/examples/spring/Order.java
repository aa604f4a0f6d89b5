package io.firn.examples.spring;

/**
 * What a customer wants.
 *
 * @param customer the customer
 * @param amount the price
 */
public record Order(String customer, int amount) {}
