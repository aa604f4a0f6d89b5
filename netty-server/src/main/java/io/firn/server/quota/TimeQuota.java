package io.firn.server.quota;

/** The quota of the time that threads spend on a client's requests. Thread-safe. */
public interface TimeQuota {
    /** Nobody has one. */
    TimeQuota NONE =
            new TimeQuota() {
                @Override
                public boolean isTimeLimited() {
                    return false;
                }

                @Override
                public long recordTime(String principal, String clientId, long ns) {
                    return 0;
                }
            };

    /** Returns whether anybody has such a quota: otherwise no time is measured. */
    boolean isTimeLimited();

    /**
     * Records what was spent.
     *
     * @param principal the client, with its type, such as {@code User:alice}
     * @return for how many ms the client has to be muted; 0 if it is within its quota
     */
    long recordTime(String principal, String clientId, long ns);
}
