package io.firn.host;

/**
 * What a producer's batches carry.
 *
 * @param id the producer's id
 * @param epoch its epoch, 0 to 32,767: a higher epoch fences all lower ones of the same id
 * @see HostedStore
 */
public record ProducerIdentity(long id, int epoch) {
    /** Written out: what Java 17 generates keeps the class from being unloaded once it was used. */
    @Override
    public boolean equals(Object other) {
        return other instanceof ProducerIdentity same && same.id == id && same.epoch == epoch;
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(id) + epoch;
    }
}
