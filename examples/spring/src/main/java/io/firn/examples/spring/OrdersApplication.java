package io.firn.examples.spring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application: {@code bin/example Spring}. */
@SpringBootApplication
public class OrdersApplication {

    /** Runs it. */
    public static void main(String[] args) {
        SpringApplication.run(OrdersApplication.class, args);
    }
}
