import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.streams.tests.SmokeTestDriver;

/**
 * The driver of Kafka's StreamsSmokeTest, over a time that is long enough for many kills:
 * BOOTSTRAP SECONDS. Writes records, and compares a dozen aggregations of them with what they have
 * to be when each record counts exactly once.
 */
final class Smoke {
    private static final int PARTITIONS = 5;
    private static final int KEYS = 20;
    private static final int RECORDS = 1_000;
    private static final long HANGS_AFTER_S = 60;

    private Smoke() {}

    public static void main(String[] arguments) throws Exception {
        String bootstrap = arguments[0];
        Duration time = Duration.ofSeconds(Long.parseLong(arguments[1]));
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            List<NewTopic> topics = new ArrayList<>();
            Set<String> names = new java.util.TreeSet<>(List.of(SmokeTestDriver.topics()));
            for (String each : names) {
                topics.add(new NewTopic(each, PARTITIONS, (short) 1));
            }
            admin.createTopics(topics).all().get(HANGS_AFTER_S, TimeUnit.SECONDS);
        }
        System.out.println("topics are there");
        Map<String, Set<Integer>> sent = SmokeTestDriver.generate(bootstrap, KEYS, RECORDS, time);
        var result = SmokeTestDriver.verify(bootstrap, sent, RECORDS, true);
        System.out.println(result.result());
        System.out.println(
                result.passed()
                        ? KEYS * RECORDS + " records, each counted exactly once"
                        : "the result is wrong");
        System.exit(result.passed() ? 0 : 1);
    }
}
