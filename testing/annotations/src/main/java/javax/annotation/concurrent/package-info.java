/** The annotation that Error Prone checks locks by. */
package javax.annotation.concurrent;
