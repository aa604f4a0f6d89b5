package io.firn.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.EmbeddedValueResolverAware;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.StringValueResolver;

/** Collects the methods with {@link FirnListener} of all beans, as the beans are created. */
final class ListenerMethods implements BeanPostProcessor, EmbeddedValueResolverAware {
    private final List<ListenerMethod> methods = new ArrayList<>();
    private StringValueResolver placeholders;
    private boolean isTaken;

    @Override
    public void setEmbeddedValueResolver(StringValueResolver resolver) {
        placeholders = resolver;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
        for (Map.Entry<Method, FirnListener> each : methodsOf(type).entrySet()) {
            FirnListener listener = each.getValue();
            Method method = AopUtils.selectInvocableMethod(each.getKey(), bean.getClass());
            ListenerMethod found =
                    new ListenerMethod(
                            bean,
                            method,
                            placeholders.resolveStringValue(listener.topic()),
                            placeholders.resolveStringValue(listener.cursor()),
                            listener.concurrency());
            synchronized (methods) {
                refuseLate(found);
                refuseSecond(found);
                methods.add(found);
            }
        }
        return bean;
    }

    private void refuseLate(ListenerMethod found) {
        if (isTaken) {
            throw new IllegalStateException(
                    "the listener "
                            + found
                            + " belongs to a bean that is created after the listeners were started:"
                            + " make the bean a singleton that is not lazy");
        }
    }

    /** Both would get all records, or one would be refused the cursor. */
    private void refuseSecond(ListenerMethod found) {
        for (ListenerMethod each : methods) {
            if (each.topic().equals(found.topic()) && each.cursor().equals(found.cursor())) {
                throw new IllegalStateException(
                        each
                                + " and "
                                + found
                                + " read the topic '"
                                + found.topic()
                                + "' at the cursor '"
                                + found.cursor()
                                + "': one listener is expected, give each a cursor of its own");
            }
        }
    }

    private static Map<Method, FirnListener> methodsOf(Class<?> type) {
        if (!AnnotationUtils.isCandidateClass(type, FirnListener.class)) {
            return Map.of();
        }
        return MethodIntrospector.selectMethods(
                type,
                (Method method) ->
                        AnnotatedElementUtils.findMergedAnnotation(method, FirnListener.class));
    }

    static boolean areIn(Class<?> type) {
        return !methodsOf(type).isEmpty();
    }

    /** Returns the methods; no other is accepted from now on. */
    List<ListenerMethod> all() {
        synchronized (methods) {
            isTaken = true;
            return List.copyOf(methods);
        }
    }
}
