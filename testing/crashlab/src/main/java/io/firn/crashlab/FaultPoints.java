package io.firn.crashlab;

import io.firn.sim.SimulatedFileMedium;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Records the calls of one run on a medium at which faults are to be injected in later runs: the
 * operations, which change the medium, and the queries, which do not.
 */
final class FaultPoints {
    private final SimulatedFileMedium medium;
    private final Filter filter;
    private final List<Operation> operations = new ArrayList<>();
    private final List<Integer> queries = new ArrayList<>();

    /** Returns whether the background work of the store is being executed. */
    private BooleanSupplier background = () -> false;

    /**
     * An operation.
     *
     * @param text its line in the medium's history
     * @param isInBackground whether the background work of the store called it
     */
    record Operation(int number, String text, boolean isInBackground) {}

    /** Decides by call site which calls get a fault. */
    interface Filter {
        /** Returns whether an operation is to fail; called once for each operation. */
        boolean acceptsOperation(String text);

        /** Returns whether a query is to fail; called once for each query. */
        boolean acceptsQuery();

        /**
         * Accepts every operation, and a few queries of each call site, which repeat them often.
         */
        static Filter every() {
            Map<String, Integer> seen = new HashMap<>();
            return new Filter() {
                private static final int QUERIES_PER_SITE = 2;

                @Override
                public boolean acceptsOperation(String text) {
                    return true;
                }

                @Override
                public boolean acceptsQuery() {
                    return seen.merge(CallSites.current(), 1, Integer::sum) <= QUERIES_PER_SITE;
                }
            };
        }

        /**
         * Accepts each call site once.
         *
         * @param tried the call sites that had their fault; new ones are added
         * @param prefix distinguishes call sites that are to be tried again under other conditions
         */
        static Filter newSites(Set<String> tried, String prefix) {
            return new Filter() {
                @Override
                public boolean acceptsOperation(String text) {
                    return tried.add(prefix + CallSites.current(text));
                }

                @Override
                public boolean acceptsQuery() {
                    return tried.add(prefix + CallSites.current());
                }
            };
        }

        /** Returns a filter that accepts what this one accepts, without some operations. */
        default Filter without(Predicate<String> operations) {
            Filter all = this;
            return new Filter() {
                @Override
                public boolean acceptsOperation(String text) {
                    return !operations.test(text) && all.acceptsOperation(text);
                }

                @Override
                public boolean acceptsQuery() {
                    return all.acceptsQuery();
                }
            };
        }
    }

    /** Begins to record what happens on a medium. */
    FaultPoints(SimulatedFileMedium medium, Filter filter) {
        this.medium = medium;
        this.filter = filter;
        medium.faults().failLooks(this::query);
        medium.onOperation(this::operation);
    }

    /** Asks this for each operation whether the background work of the store called it. */
    void background(BooleanSupplier isInBackground) {
        background = isInBackground;
    }

    private boolean query(int number) {
        if (filter.acceptsQuery()) {
            queries.add(number);
        }
        return false;
    }

    private void operation(int number) {
        String text = medium.history().get(number - 1);
        if (filter.acceptsOperation(text)) {
            operations.add(new Operation(number, text, background.getAsBoolean()));
        }
    }

    /** Returns the operations that are to fail, in order. */
    List<Operation> operations() {
        return operations;
    }

    /** Returns the numbers of the queries that are to fail, in order. */
    List<Integer> queries() {
        return queries;
    }
}
