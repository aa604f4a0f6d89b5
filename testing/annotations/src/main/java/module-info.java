/** Annotations that only the build needs. */
module io.firn.annotations {
    exports javax.annotation.concurrent;
}
