package io.firn.medium;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the lock that must be held to use a field or to call a method. Error Prone checks it by its
 * simple name. It is in no class file: a library that a user's build does not have would be missed
 * there, and reported with {@code -Xlint}.
 */
@Retention(RetentionPolicy.SOURCE)
@Target({ElementType.FIELD, ElementType.METHOD})
public @interface GuardedBy {
    /** Returns the expressions of the locks, {@code this} or the names of fields. */
    String[] value();
}
