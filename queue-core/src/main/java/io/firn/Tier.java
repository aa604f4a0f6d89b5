package io.firn;

/**
 * A storage tier that a store is built with, such as {@code FileTier} or {@code PmemTier}. What a
 * tier must do is declared by {@code io.firn.spi.StorageTier}; only its implementations are
 * accepted.
 *
 * @see LogStore
 */
public interface Tier {}
