import io.firn.LogStore
import io.firn.TopicOptions
import io.firn.file.FileTier
import java.nio.file.Path
import kotlin.text.Charsets.UTF_8

fun main(args: Array<String>) {
    val dir = Path.of(args.firstOrNull() ?: "orders-log")
    LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open().use { store ->
        val topic = store.ensureTopic("orders", TopicOptions.defaults())
        topic.partition(0).openAppender().use { it.append("first".toByteArray()) }
        topic.openTailer().use { tailer ->
            tailer.forEach({ println("${it.offset()}: ${UTF_8.decode(it.value())}") }, 10)
        }
    }
}
