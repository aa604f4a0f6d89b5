package io.firn.examples;

import io.firn.Claim;
import io.firn.ExclusiveAppender;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.examples.quotes.MessageHeaderDecoder;
import io.firn.examples.quotes.MessageHeaderEncoder;
import io.firn.examples.quotes.QuoteDecoder;
import io.firn.examples.quotes.QuoteEncoder;
import io.firn.examples.quotes.Side;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.file.Path;

/**
 * Messages of SBE: a generated encoder writes into a claim, and the decoder reads the record where
 * it lies in the log. The schema is {@code src/main/sbe/quotes.xml}; {@code sbe-tool} generates the
 * codec when the example is built.
 */
public final class SbeClaim {
    /** Of a quote without the letters of its venue. */
    private static final int LENGTH =
            MessageHeaderEncoder.ENCODED_LENGTH
                    + QuoteEncoder.BLOCK_LENGTH
                    + QuoteEncoder.venueHeaderLength();

    private SbeClaim() {}

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args) {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) {
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            Partition log = store.createTopic("quotes", TopicOptions.defaults()).partition(0);
            try (ExclusiveAppender appender = log.openExclusiveAppender()) {
                Quotes quotes = new Quotes(appender);
                quotes.append(815, 1.0842, Side.BUY, "XETRA");
                quotes.append(4711, 99.5, Side.SELL, "LSE");
            }
            MessageHeaderDecoder header = new MessageHeaderDecoder();
            QuoteDecoder quote = new QuoteDecoder();
            try (Tailer tailer = log.openTailer()) {
                tailer.forEach(record -> out.println(text(record, header, quote)), 10);
            }
        }
    }

    private static String text(LogRecord record, MessageHeaderDecoder header, QuoteDecoder quote) {
        quote.wrapAndApplyHeader(record.directValue(), 0, header);
        return record.valueLength()
                + " bytes: "
                + quote.side()
                + " "
                + quote.instrument()
                + " at "
                + quote.price()
                + ", "
                + quote.venue();
    }

    /** Appends quotes; its encoders are used again and again. */
    private static final class Quotes {
        private final ExclusiveAppender appender;
        private final MessageHeaderEncoder header = new MessageHeaderEncoder();
        private final QuoteEncoder quote = new QuoteEncoder();

        Quotes(ExclusiveAppender appender) {
            this.appender = appender;
        }

        void append(long instrument, double price, Side side, String venue) {
            int length = LENGTH + venue.length(); // a claim has the record's exact length
            Claim claim = appender.claim(length);
            quote.wrapAndApplyHeader(claim.directBuffer(), 0, header)
                    .instrument(instrument)
                    .price(price)
                    .side(side)
                    .venue(venue);
            claim.commit(); // durable when it returns
        }
    }
}
