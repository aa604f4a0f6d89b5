package io.firn.cursor;

import io.firn.cursor.CursorPositions.Write;
import io.firn.metadata.TopicDirectory;
import io.firn.metadata.TopicDirectory.Content;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The positions that all cursors of a topic have at a time, for a backup. */
public final class CursorSnapshot {
    private final CursorFiles files;
    private final Map<String, Write> cursors = new TreeMap<>();

    CursorSnapshot(CursorFiles files) {
        this.files = files;
    }

    /** Adds the positions of a cursor. */
    void add(String name, Write positions) {
        cursors.put(name, positions);
    }

    /**
     * Returns the files of the cursors by name.
     *
     * @param ends for each partition the offset that no position exceeds (O7)
     */
    public Map<String, byte[]> files(long[] ends) throws IOException {
        Map<String, byte[]> content = new LinkedHashMap<>();
        for (Map.Entry<String, Write> e : cursors.entrySet()) {
            long[] offsets = e.getValue().offsets();
            for (int i = 0; i < offsets.length; i++) {
                offsets[i] = Math.min(offsets[i], i < ends.length ? ends[i] : 0);
            }
            Content file = files.fileOf(e.getValue().content(e.getKey()));
            content.put(file.name(), files.bytesOf(file));
        }
        return content;
    }

    /** Lowers the positions in the files of a topic that is not open, durably. */
    public static void lower(TopicDirectory topic, long[] ends) throws IOException {
        CursorFiles files = new CursorFiles(topic);
        List<CursorFiles.Content> lowered = new ArrayList<>();
        for (String name : files.names()) {
            CursorFiles.Content cursor = files.read(name);
            Map<Integer, Long> offsets = new TreeMap<>(cursor.offsets());
            offsets.replaceAll(
                    (index, offset) -> Math.min(offset, index < ends.length ? ends[index] : 0));
            if (!offsets.equals(cursor.offsets())) {
                lowered.add(
                        new CursorFiles.Content(
                                name, offsets, cursor.outside(), cursor.decisions()));
            }
        }
        for (CursorFiles.Content each : lowered) {
            Content file = files.fileOf(each);
            topic.write(file.name(), file.magic(), file.version(), file.values());
        }
    }
}
