package io.firn.background;

/**
 * The duties that are to be run, and which of them a thread that is free takes next. Urgent ones
 * come first, but no other waits for more than a few of them. Duties wait in lanes, one for each
 * tier: a lane in which nothing runs is sure of a thread, however many runs of other lanes hang.
 * The first lane may be limited to one run at a time. For one thread at a time.
 */
final class ReadyDuties {
    private static final int MOST_PASSED_OVER = 7;

    private final int threads;
    private final boolean isFirstLaneSerial;
    private final Lane[] lanes;
    private int running;
    private int first;
    private int later;
    private int passedOver;

    private static final class Lane {
        final DutyQueue urgent = new DutyQueue();
        final DutyQueue others = new DutyQueue();
        int running;
    }

    /**
     * Creates it empty.
     *
     * @param isFirstLaneSerial whether duties of the first lane are run one after another
     * @param threads how many run them; 0 for a caller that takes them in their order
     */
    ReadyDuties(int lanes, boolean isFirstLaneSerial, int threads) {
        this.threads = threads;
        this.isFirstLaneSerial = isFirstLaneSerial;
        this.lanes = new Lane[threads == 0 ? 1 : lanes];
        for (int i = 0; i < this.lanes.length; i++) {
            this.lanes[i] = new Lane();
        }
    }

    void add(Duty duty) {
        if (threads == 0) {
            lanes[0].urgent.add(duty);
            return;
        }
        Lane lane = lanes[Math.min(duty.lane(), lanes.length - 1)];
        if (duty.isUrgent()) {
            lane.urgent.add(duty);
        } else {
            lane.others.add(duty);
            later++;
        }
    }

    /** How many wait. */
    int size() {
        int size = 0;
        for (Lane lane : lanes) {
            size += lane.urgent.size() + lane.others.size();
        }
        return size;
    }

    /** Whether {@link #poll} returns one. */
    boolean isAny() {
        for (int i = 0; i < lanes.length; i++) {
            if ((!lanes[i].urgent.isEmpty() || !lanes[i].others.isEmpty()) && hasThread(i)) {
                return true;
            }
        }
        return false;
    }

    /** Takes the next one, which runs until {@link #ended}; null when none may run now. */
    Duty poll() {
        boolean urgentFirst = later == 0 || passedOver < MOST_PASSED_OVER;
        Duty duty = poll(urgentFirst);
        return duty == null ? poll(!urgentFirst) : duty;
    }

    private Duty poll(boolean urgent) {
        for (int i = 0; i < lanes.length; i++) {
            int number = (first + i) % lanes.length;
            Lane lane = lanes[number];
            DutyQueue queue = urgent ? lane.urgent : lane.others;
            if (!queue.isEmpty() && hasThread(number)) {
                Duty duty = queue.poll();
                duty.runsIn = number;
                lane.running++;
                running++;
                first = number + 1;
                later -= urgent ? 0 : 1;
                passedOver = urgent && later > 0 ? passedOver + 1 : 0;
                return duty;
            }
        }
        return null;
    }

    /** Whether a lane may use a thread, and a free one is left for each in which nothing runs. */
    private boolean hasThread(int number) {
        if (lanes[number].running == 0) {
            return true;
        }
        if (number == 0 && isFirstLaneSerial) {
            return false;
        }
        int free = threads - running;
        for (int i = 0; i < lanes.length; i++) {
            free -= i != number && lanes[i].running == 0 ? 1 : 0;
        }
        return free > 0;
    }

    void ended(Duty duty) {
        lanes[duty.runsIn].running--;
        running--;
    }

    /**
     * Duties in order, linked through themselves: nothing is allocated. For one thread at a time.
     */
    private static final class DutyQueue {
        private Duty first;
        private Duty last;
        private int size;

        boolean isEmpty() {
            return first == null;
        }

        int size() {
            return size;
        }

        void add(Duty duty) {
            duty.next = null;
            if (first == null) {
                first = duty;
            } else {
                last.next = duty;
            }
            last = duty;
            size++;
        }

        /** The first one, which leaves; null when it is empty. */
        Duty poll() {
            Duty duty = first;
            if (duty != null) {
                first = duty.next;
                duty.next = null;
                size--;
            }
            return duty;
        }
    }
}
