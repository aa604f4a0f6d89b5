package javax.annotation.concurrent;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the lock that must be held to use a field or to call a method. Error Prone checks it; it
 * looks for this full name, among others. Unlike the annotations of the same name in libraries, it
 * is not stored in class files, where {@code -Xlint} would report it to users who do not have the
 * library.
 */
@Retention(RetentionPolicy.SOURCE)
@Target({ElementType.FIELD, ElementType.METHOD})
public @interface GuardedBy {
    /** Returns the expressions of the locks, {@code this} or the names of fields. */
    String[] value();
}
