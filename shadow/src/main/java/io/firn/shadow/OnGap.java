package io.firn.shadow;

/**
 * What happens when the source has deleted records before they were copied, because the shadow was
 * stopped for longer than the source keeps them.
 *
 * @see Shadow
 */
public enum OnGap {
    /**
     * The copy continues with the source's first record. The offsets in between have no records,
     * here as there. The default.
     */
    FILL,
    /** The partition stops; an application decides. */
    STOP
}
