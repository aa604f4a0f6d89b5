package io.firn.server.quota;

/**
 * For how long it counts what clients have used.
 *
 * @param samples how many samples a rate has, at least 2: the present one and those before it
 * @param sampleMs the length of a sample
 * @param mutationSamples for how many samples' worth of a quota of changes can be saved
 * @param mutationSampleMs the length of these
 */
public record QuotaWindows(int samples, long sampleMs, int mutationSamples, long mutationSampleMs) {
    /** Kafka's defaults. */
    public static final QuotaWindows DEFAULT = new QuotaWindows(11, 1_000, 11, 1_000);

    /** The samples that are complete. */
    long fullMs() {
        return (samples - 1) * sampleMs;
    }

    /** All samples. */
    long windowMs() {
        return samples * sampleMs;
    }

    long mutationMs() {
        return mutationSamples * mutationSampleMs;
    }
}
