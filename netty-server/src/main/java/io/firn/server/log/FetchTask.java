package io.firn.server.log;

import io.firn.server.security.Access;
import io.firn.server.wire.Exchange;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.message.FetchRequestData;

/**
 * One fetch request: a long poll. It reads; if there is less data than the client wants, it waits
 * without holding anything, and reads again when more is visible or the time is up. Batches of the
 * active segment are in memory and are read on the event loop, and so are older ones if a look
 * finds them in memory. Others have to be read from a disk, which a background thread does, so that
 * no other client waits for it.
 *
 * <pre>
 *  READING ──── enough, or time is up ───▶ answered
 *    │  ▲
 *    │  │ more is visible, or time is up
 *    ▼  │
 *  WAITING
 * </pre>
 *
 * <p>A wake-up during a read makes it read once more. A long run of fillers is passed in several
 * reads, between which others have their turn.
 */
final class FetchTask {
    /** More partitions than this are looked up in the background. */
    private static final int MANY = 2_000;

    /** As many may be named twice where aborted transactions are listed. */
    private static final int MANY_IF_COMMITTED = 20;

    /** About what a partition uses in a response, as objects. */
    private static final int PARTITION_BYTES = 300;

    private static final long MEMORY_RETRY_MS = 5;

    private static final int MAX_WAIT_MS = 10 * 60 * 1000;

    private final FetchReader reader;
    private final Executor background;
    private final ByteRateQuotas quotas;
    private final Exchange exchange;
    private final FetchRequestData request;
    private final PartitionReaderCache readers;
    private final Access access;
    private final long named;
    private final long startNs = System.nanoTime();
    private final Runnable wakeUp = this::wakeUp;
    private final Runnable onClose = this::stopWaiting;
    private final AtomicBoolean woken = new AtomicBoolean();

    /** Of the present read, which is on one thread at a time. */
    private FetchPlan plan;

    // On the event loop.
    private FetchPlan watched; // null: it does not wait
    private ScheduledFuture<?> timeOut;
    private FetchResult last;
    private boolean reading;
    private boolean readAgain;

    FetchTask(
            FetchReader reader,
            Executor background,
            ByteRateQuotas quotas,
            Exchange exchange,
            FetchRequestData request) {
        this.reader = reader;
        this.background = background;
        this.quotas = quotas;
        this.exchange = exchange;
        this.request = request;
        this.access = exchange.connection().access();
        this.readers = reader.readersOf(exchange, request);
        long all = countNamed();
        if (all > MANY_IF_COMMITTED && all <= MANY && request.isolationLevel() != 0) {
            // For each mention the aborted transactions would be listed again.
            FetchPlan.mergeDuplicates(exchange.version(), request);
            all = countNamed();
        }
        this.named = all;
    }

    private long countNamed() {
        long all = 0;
        for (FetchRequestData.FetchTopic each : request.topics()) {
            all += 1 + each.partitions().size();
        }
        return all;
    }

    // ---- read

    /** Reads, and answers or waits. */
    void run() {
        if (!exchange.isOpen()) {
            stopWaiting();
            return;
        }
        if (reading) {
            readAgain = true;
            return;
        }
        reading = true;
        if (isLarge()) {
            readLarge();
            return;
        }
        lookUp();
        if (plan.isCold()) {
            background.execute(exchange.counted(this::readCold));
        } else {
            onRead(reader.read(plan, request, access));
        }
    }

    /** Looks up what the request names, if that was not done or topics have changed since. */
    private void lookUp() {
        if (plan == null || !plan.isCurrent()) {
            plan = reader.plan(exchange.version(), request, readers);
        }
    }

    private boolean isLarge() {
        return named > MANY;
    }

    /** Counts the memory of a large response before it is made; waits until there is some. */
    @SuppressWarnings("FutureReturnValueIgnored") // it ends with the event loop
    private void readLarge() {
        if (!exchange.isOpen()) {
            reading = false;
            stopWaiting();
        } else if (exchange.isAnswerMemoryExceeded()) {
            exchange.eventLoop().schedule(this::readLarge, MEMORY_RETRY_MS, TimeUnit.MILLISECONDS);
        } else {
            exchange.addAnswerBytes(named * PARTITION_BYTES);
            background.execute(exchange.counted(this::readCold));
        }
    }

    /**
     * A right may have gone while a disk was read: what was read is not for the client any more.
     */
    private boolean isOutdated(FetchResult result) {
        return result.rights() != null && !access.isStill(result.rights());
    }

    private void readCold() {
        FetchResult result;
        try {
            if (isLarge() && plan == null) {
                FetchPlan.mergeDuplicates(exchange.version(), request);
            }
            lookUp();
            result = reader.read(plan, request, access);
        } catch (RuntimeException e) {
            exchange.fail(e); // otherwise the client would wait forever
            return;
        } catch (Error e) {
            exchange.fail(e);
            throw e;
        }
        AtomicBoolean isTaken = new AtomicBoolean();
        Runnable taking =
                () -> {
                    if (isTaken.compareAndSet(false, true)) {
                        onRead(result);
                    }
                };
        try {
            result.load();
            exchange.eventLoop().execute(taking);
        } catch (InternalError e) {
            // A page is lost, which Java may tell late, in any code. The write reports it.
            exchange.eventLoop().execute(taking);
        } catch (RuntimeException e) {
            result.close(); // the event loop has ended
        }
    }

    private void onRead(FetchResult result) {
        reading = false;
        if (!exchange.isOpen()) {
            result.close();
            stopWaiting();
            return;
        }
        if (isOutdated(result)) {
            result.close();
            exchange.releaseAnswer();
            run();
            return;
        }
        // A filler alone is sent when the time is up: nothing that the client waits for has come.
        boolean enough = result.bytesOfRecords() >= request.minBytes() || result.isFailed();
        if (result.isUnfinished() && !enough && leftMs() > 0) {
            result.close();
            reading = true;
            background.execute(exchange.counted(this::readCold)); // the next step
            return;
        }
        // Where too much waits already, the client receives what there is, and asks again.
        if (enough || leftMs() <= 0 || (watched == null && !exchange.park())) {
            stopWaiting();
            quotas.onFetched(exchange, result.response(), result.bytes());
            exchange.reply(result.response());
            return;
        }
        result.close();
        if (isLarge()) {
            exchange.releaseAnswer(); // read again when the time is up
        } else {
            last = result;
        }
        if (watched == null) {
            startWaiting(result);
        } else if (readAgain) {
            readAgain = false;
            run();
        }
    }

    // ---- wait

    private long leftMs() {
        long wait = Math.min(request.maxWaitMs(), MAX_WAIT_MS);
        return wait - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
    }

    /** Returns whether a read would find what an earlier one has found. */
    private boolean isSame(FetchResult before) {
        return before.visible() == plan.visible() && plan.isCurrent();
    }

    private void startWaiting(FetchResult result) {
        watched = plan;
        watched.watch(wakeUp);
        exchange.connection().onClose(onClose);
        timeOut = exchange.eventLoop().schedule(this::onTimeOut, leftMs(), TimeUnit.MILLISECONDS);
        if (!isSame(result)) {
            run(); // it advanced before the partitions were watched
        }
    }

    /** Most long polls end here: nothing has come, and the first result is the response. */
    private void onTimeOut() {
        boolean isWaiting = watched != null && !reading && exchange.isOpen();
        if (isWaiting
                && last != null
                && last.bytes() == 0
                && isSame(last)
                && access.isStill(last.rights())) {
            stopWaiting();
            exchange.reply(last.response());
        } else {
            run();
        }
    }

    /** Called on the thread that forced or appended. */
    private void wakeUp() {
        if (woken.compareAndSet(false, true)) {
            try {
                exchange.eventLoop().execute(this::onWakeUp);
            } catch (RejectedExecutionException e) {
                woken.set(true); // the event loop has ended, and the connection with it
            }
        }
    }

    private void onWakeUp() {
        woken.set(false); // before the read: what becomes visible later wakes it again
        if (watched != null) {
            run();
        }
    }

    private void stopWaiting() {
        if (watched != null) {
            watched.unwatch(wakeUp);
            watched = null;
            timeOut.cancel(false);
            exchange.connection().removeOnClose(onClose);
        }
    }
}
