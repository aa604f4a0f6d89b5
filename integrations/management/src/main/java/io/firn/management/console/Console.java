package io.firn.management.console;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.firn.server.ManagementService.Managed;
import java.util.Map;
import java.util.function.Function;

/** The console of a server. Thread-safe. */
public final class Console implements AutoCloseable {
    private static final String JSON = "application/json; charset=utf-8";
    private static final String API = "api/";

    private final Assets assets = new Assets();
    private final ObjectMapper json = new ObjectMapper();
    private final EventList events;
    private final Map<String, Function<Query, Object>> answers;

    /** Creates it; it listens to the findings of the store from now on. */
    public Console(Managed server) {
        Snapshots now = new Snapshots(server.store());
        String shown = server.config().text("management.console");
        events = new EventList(server.store());
        Overview overview = new Overview(now, server.metrics(), shown);
        GroupList groups = new GroupList(now, server.clients());
        ConfigList config = new ConfigList(server.config(), server::currentConfig);
        answers =
                Map.of(
                        "overview", query -> overview.answer(),
                        "tiers", new TierMap(now)::answer,
                        "topics", new TopicList(now)::answer,
                        "topic", new TopicPage(now)::answer,
                        "records", new RecordSearch(now.store(), Shown.of(shown))::answer,
                        "groups", groups::answer,
                        "group", new GroupPage(now, server.clients())::answer,
                        "connections", new ClientList(server.clients(), server.metrics())::answer,
                        "config", query -> config.answer(),
                        "events", query -> events.answer());
    }

    /** Returns whether a path is answered with data, not with a part of the page. */
    public static boolean isData(String path) {
        return path.startsWith(API);
    }

    /**
     * Answers a request.
     *
     * @param path below that of the console
     * @param query as in the address; null for none
     * @return null if there is nothing at that path
     * @throws io.firn.InvalidOptionException if a parameter is invalid
     * @throws io.firn.UnknownTopicException if there is no such topic
     * @throws io.firn.BusyException if too many searches are in progress
     */
    public Content get(String path, String query) {
        if (!isData(path)) {
            return assets.get(path);
        }
        Function<Query, Object> answer = answers.get(path.substring(API.length()));
        return answer == null ? null : write(answer.apply(Query.of(query)));
    }

    private Content write(Object answer) {
        try {
            return new Content(JSON, json.writeValueAsBytes(answer));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an answer of the console cannot be written", e);
        }
    }

    @Override
    public void close() {
        events.close();
    }
}
