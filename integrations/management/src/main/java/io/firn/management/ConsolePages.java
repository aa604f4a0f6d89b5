package io.firn.management;

import com.sun.net.httpserver.HttpExchange;
import io.firn.BusyException;
import io.firn.ClosedException;
import io.firn.InvalidOptionException;
import io.firn.MediumException;
import io.firn.UnknownTopicException;
import io.firn.management.console.Console;
import io.firn.management.console.Content;
import java.net.URI;

/**
 * The console over HTTP. The page may load what this listener serves and nothing else, and no page
 * of another site may ask for data: a search takes time.
 */
final class ConsolePages implements AutoCloseable {
    static final String PATH = "/console/";
    private static final String POLICY_HEADER = "Content-Security-Policy";
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
                    + " connect-src 'self'; base-uri 'none'; form-action 'none';"
                    + " frame-ancestors 'none'; require-trusted-types-for 'script';"
                    + " trusted-types 'none'";

    private final Console console;

    ConsolePages(Console console) {
        this.console = console;
    }

    Answer answer(HttpExchange exchange) {
        URI uri = exchange.getRequestURI();
        String path = uri.getPath().substring(PATH.length());
        String from = exchange.getRequestHeaders().getFirst("Sec-Fetch-Site");
        if (Console.isData(path) && "cross-site".equals(from)) {
            return Answer.text(403, "This is for the console only.");
        }
        try {
            Content content = console.get(path, uri.getRawQuery());
            return content == null
                    ? Answer.text(Answer.NOT_FOUND, "There is no such page.")
                    : new Answer(Answer.OK, content.type(), content.bytes())
                            .with(POLICY_HEADER, POLICY);
        } catch (InvalidOptionException e) {
            return Answer.text(400, e.getMessage());
        } catch (UnknownTopicException e) {
            return Answer.text(Answer.NOT_FOUND, e.getMessage());
        } catch (BusyException | ClosedException | MediumException e) {
            return Answer.text(Answer.UNAVAILABLE, e.getMessage());
        }
    }

    @Override
    public void close() {
        console.close();
    }
}
