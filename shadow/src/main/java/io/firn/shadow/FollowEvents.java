package io.firn.shadow;

/** What a follower tells of its partition. */
final class FollowEvents {
    private static final int UNKNOWN = -1;

    private final FollowContext context;
    private final String topic;
    private final int partition;

    FollowEvents(FollowContext context, String topic, int partition) {
        this.context = context;
        this.topic = topic;
        this.partition = partition;
    }

    private String tell(ShadowEvent.Kind kind, long from, long to, String message) {
        context.tell(new FoundEvent(kind, topic, partition, from, to, message));
        return message;
    }

    /** Tells that the source deleted records before they were copied; returns the message. */
    String gap(long from, long to) {
        return tell(
                ShadowEvent.Kind.GAP,
                from,
                to,
                "the source deleted the records from offset "
                        + from
                        + " to "
                        + to
                        + " before they were copied; "
                        + (context.onGap() == OnGap.FILL
                                ? "the copy continues behind them"
                                : "the copy stops: start it with OnGap.FILL to continue"));
    }

    /** Tells that records were removed. */
    void truncated(long from, long to, String why) {
        tell(
                ShadowEvent.Kind.TRUNCATED,
                from,
                to,
                why + "; the records from offset " + from + " on were removed");
    }

    /**
     * Tells that the copy stops because the source has other records; returns the message.
     *
     * @param from where they begin; −1 if that is not known
     */
    String diverged(long from, long to, String why) {
        return tell(
                ShadowEvent.Kind.DIVERGED,
                from,
                to,
                why
                        + "; the copy stops: keep it, delete the topic here"
                        + (from < 0 ? "" : ", or start the shadow with OnDivergence.TRUNCATE"));
    }

    /** Tells that the copy stops because a marker is lost; returns the message. */
    String lostMarker(long from, long to, String found) {
        return tell(
                ShadowEvent.Kind.LOST_MARKER,
                from,
                to,
                found
                        + "; the copy stops: start the shadow with OnDivergence.TRUNCATE to copy"
                        + " anew what the source still has from there on, or read uncommitted"
                        + " records");
    }

    /** Tells that the copy stops for another reason. */
    void stopped(String why) {
        tell(ShadowEvent.Kind.STOPPED, UNKNOWN, UNKNOWN, why);
    }
}
