package orders;

import org.apache.kafka.clients.admin.NewTopic;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Profile;
import org.springframework.kafka.config.TopicBuilder;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.AfterRollbackProcessor;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultAfterRollbackProcessor;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

/** Takes orders, bills them and ships them, each step by way of a topic. */
@SpringBootApplication
public class OrdersApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(OrdersApplication.class, arguments);
    }

    @Bean
    NewTopic topicOfOrders() {
        return TopicBuilder.name("orders").partitions(3).build();
    }

    @Bean
    NewTopic topicOfInvoices() {
        return TopicBuilder.name("invoices").compact().build();
    }

    @Bean
    @Profile("!transactions")
    CommonErrorHandler retryThenDeadLetter(KafkaTemplate<Object, Object> template) {
        return new DefaultErrorHandler(
                new DeadLetterPublishingRecoverer(template), new FixedBackOff(10, 2));
    }

    @Bean
    @Profile("transactions")
    AfterRollbackProcessor<Object, Object> rollBackRetryThenDeadLetter(
            KafkaTemplate<Object, Object> template) {
        return new DefaultAfterRollbackProcessor<>(
                new DeadLetterPublishingRecoverer(template),
                new FixedBackOff(10, 2),
                template,
                true);
    }
}
