package io.firn.bytes;

import io.firn.InvalidOptionException;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.List;
import net.openhft.chronicle.bytes.WriteBytesMarshallable;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Implements interfaces by classes that pass the arguments of each call to a {@link CallWriter}. A
 * {@link java.lang.reflect.Proxy} would make an object of each number. A class is made once for an
 * interface, in its package and by its class loader.
 */
final class MethodWriters {
    private static final String SUFFIX = "$FirnMethodWriter";
    private static final String CALLS = Type.getInternalName(CallWriter.class);
    private static final String CALLS_TYPE = Type.getDescriptor(CallWriter.class);
    private static final String FIELD = "calls";
    private static final String OBJECT = "java/lang/Object";

    private MethodWriters() {}

    static <T> T create(Class<T> type, CallWriter.Sink sink) {
        if (!type.isInterface()) {
            throw new InvalidOptionException("an interface is expected, found " + type.getName());
        }
        if (type.isSealed()) {
            throw new InvalidOptionException(
                    "an interface is expected that is not sealed, found " + type.getName());
        }
        List<Method> methods = sorted(type);
        byte[][] heads = methods.stream().map(CallForm::head).toArray(byte[][]::new);
        try {
            Class<?> made = load(type, methods);
            // In its own package, since the class is as visible as the interface.
            return type.cast(
                    MethodHandles.privateLookupIn(made, MethodHandles.lookup())
                            .unreflectConstructor(made.getDeclaredConstructor(CallWriter.class))
                            .invoke(new CallWriter(heads, sink)));
        } catch (IllegalAccessException e) {
            throw new InvalidOptionException(
                    type.getName()
                            + " is in a package that is not open to io.firn.bytes: add 'opens "
                            + type.getPackageName()
                            + " to io.firn.bytes' to its module ("
                            + e.getMessage()
                            + ")");
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("no method writer for " + type.getName(), e);
        }
    }

    /** In one order, on which the made class and the heads agree. */
    private static List<Method> sorted(Class<?> type) {
        List<Method> methods = CallForm.calls(type);
        for (Method method : methods) {
            if (method.getReturnType() != void.class) {
                throw new InvalidOptionException(
                        method + ": a method that returns nothing is expected");
            }
            for (Class<?> parameter : method.getParameterTypes()) {
                CallForm.tag(parameter, method);
            }
        }
        methods.sort(Comparator.comparing(m -> m.getName() + Type.getMethodDescriptor(m)));
        return methods;
    }

    private static Class<?> load(Class<?> type, List<Method> methods)
            throws IllegalAccessException, ClassNotFoundException {
        String name = type.getName() + SUFFIX;
        try {
            return Class.forName(name, true, type.getClassLoader());
        } catch (ClassNotFoundException missing) {
            MethodHandles.Lookup lookup =
                    MethodHandles.privateLookupIn(type, MethodHandles.lookup());
            try {
                return lookup.defineClass(encode(type, methods));
            } catch (LinkageError e) {
                return Class.forName(name, true, type.getClassLoader()); // by another thread
            }
        }
    }

    private static byte[] encode(Class<?> type, List<Method> methods) {
        String name = Type.getInternalName(type) + SUFFIX;
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        writer.visit(
                Opcodes.V17,
                Opcodes.ACC_FINAL | Opcodes.ACC_SYNTHETIC | Opcodes.ACC_SUPER,
                name,
                null,
                OBJECT,
                new String[] {Type.getInternalName(type)});
        int field = Opcodes.ACC_PRIVATE | Opcodes.ACC_FINAL;
        writer.visitField(field, FIELD, CALLS_TYPE, null, null).visitEnd();
        addConstructor(writer, name);
        for (int i = 0; i < methods.size(); i++) {
            addMethod(writer, name, methods.get(i), i);
        }
        writer.visitEnd();
        return writer.toByteArray();
    }

    private static void addConstructor(ClassWriter writer, String name) {
        MethodVisitor code = writer.visitMethod(0, "<init>", "(" + CALLS_TYPE + ")V", null, null);
        code.visitCode();
        code.visitVarInsn(Opcodes.ALOAD, 0);
        code.visitMethodInsn(Opcodes.INVOKESPECIAL, OBJECT, "<init>", "()V", false);
        code.visitVarInsn(Opcodes.ALOAD, 0);
        code.visitVarInsn(Opcodes.ALOAD, 1);
        code.visitFieldInsn(Opcodes.PUTFIELD, name, FIELD, CALLS_TYPE);
        code.visitInsn(Opcodes.RETURN);
        code.visitMaxs(0, 0);
        code.visitEnd();
    }

    private static void addMethod(ClassWriter writer, String name, Method method, int index) {
        String descriptor = Type.getMethodDescriptor(method);
        MethodVisitor code =
                writer.visitMethod(Opcodes.ACC_PUBLIC, method.getName(), descriptor, null, null);
        code.visitCode();
        code.visitVarInsn(Opcodes.ALOAD, 0);
        code.visitFieldInsn(Opcodes.GETFIELD, name, FIELD, CALLS_TYPE);
        code.visitLdcInsn(index);
        call(code, "begin", "(I)" + CALLS_TYPE);
        int slot = 1;
        for (Class<?> parameter : method.getParameterTypes()) {
            Type type = Type.getType(parameter);
            code.visitVarInsn(type.getOpcode(Opcodes.ILOAD), slot);
            slot += type.getSize();
            call(code, "put", "(" + Type.getDescriptor(putsAs(parameter)) + ")" + CALLS_TYPE);
        }
        call(code, "end", "()V");
        code.visitInsn(Opcodes.RETURN);
        code.visitMaxs(0, 0);
        code.visitEnd();
    }

    private static void call(MethodVisitor code, String method, String descriptor) {
        code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, CALLS, method, descriptor, false);
    }

    private static Class<?> putsAs(Class<?> parameter) {
        if (parameter.isPrimitive() || parameter == byte[].class) {
            return parameter;
        }
        if (parameter.isEnum()) {
            return Enum.class;
        }
        return CharSequence.class.isAssignableFrom(parameter)
                ? CharSequence.class
                : WriteBytesMarshallable.class;
    }
}
