"""Translations over HTTP, as LibreTranslate offers them, and over standard input.

options.py     what an operator can set
loaded.py      the models, by name and by pair of languages
batching.py    sentences of many requests, decoded together
passages.py    a text as sentences, and its translation put together again
suggesting.py  corrections: on the disk, and in the models' memories
detection.py   which of the loaded languages a text is in
desk.py        what a request asks for, answered; it knows nothing of HTTP
bodies.py      JSON, forms and query strings as one record of fields
app.py         from paths to answers; limits, keys, headers, log, metrics
protocol.py    connections that are too slow, too long or too many
stdio.py       the same desk for scripts, as JSON-RPC
"""
