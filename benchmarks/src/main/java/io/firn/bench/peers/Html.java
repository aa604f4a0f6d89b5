package io.firn.bench.peers;

/** What the parts of the page share. */
final class Html {
    static final String HEAD =
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>Firn and its peers</title>
            <style>
            body { font: 15px/1.45 system-ui, sans-serif; max-width: 1040px; margin: 2em auto;
                   padding: 0 1em; color: #222 }
            h1 { font-size: 1.7em } h2 { margin-top: 2.2em; border-bottom: 1px solid #ccc }
            h3 { margin: 1.4em 0 .4em; font-size: 1em }
            .wide { overflow-x: auto }
            table { border-collapse: collapse; font-size: 13px; margin: .5em 0 1em }
            th, td { padding: .25em .7em; text-align: right; border-bottom: 1px solid #e3e3e3;
                     white-space: nowrap; vertical-align: top }
            th { border-bottom: 2px solid #999 }
            td.text, th.text { text-align: left; white-space: normal; min-width: 9em }
            tr.firn td { background: #eef5fb }
            small { color: #777; display: block }
            .bar { display: block; height: 5px; background: #9a9a9a; margin: 2px 0 0 auto }
            tr.firn .bar { background: #0b5fa5 }
            img { max-width: 100% }
            .note { color: #555; font-size: 13px }
            </style>
            </head>
            <body>
            """;

    private Html() {}

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
