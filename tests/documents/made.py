"""Small documents of every format, made up for tests."""

from __future__ import annotations

import io
import zipfile

PO = """# Translators: nobody
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Language: de\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

#. shown at the top
#: app.py:3
#, python-format
msgid "Delete %s?"
msgstr ""

#: app.py:9
msgctxt "menu"
msgid "Open"
msgstr "Öffnen"

#, fuzzy
#| msgid "Clos"
msgid "Close"
msgstr "Schliess"

msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""

msgid ""
"A message of\\n"
"two lines.\\n"
msgstr ""

#~ msgid "Old"
#~ msgstr "Alt"
"""
XLIFF_1 = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file original="a" source-language="en" datatype="plaintext">
    <body>
      <trans-unit id="1">
        <source>Hello <g id="1">big</g> world<x id="2"/></source>
      </trans-unit>
      <trans-unit id="2" approved="yes">
        <source>Done</source>
        <target>Fertig</target>
      </trans-unit>
      <trans-unit id="3"><source>Open &amp; close</source><target/></trans-unit>
      <trans-unit id="4" translate="no"><source>Code</source></trans-unit>
    </body>
  </file>
</xliff>
"""
XLIFF_2 = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en">
 <file id="f1"><unit id="u1"><segment id="s1"><source>Hello <pc id="1">big</pc></source></segment>
 <segment state="final"><source>Done</source><target>Fertig</target></segment></unit></file>
</xliff>
"""
TMX = """<?xml version="1.0"?>
<tmx version="1.4"><header srclang="en"/><body>
  <tu tuid="1">
    <tuv xml:lang="en-US"><seg>Hello <bpt i="1">&lt;b></bpt>you<ept i="1">&lt;/b></ept></seg></tuv>
  </tu>
  <tu><tuv xml:lang="en"><seg>Yes</seg></tuv><tuv xml:lang="de"><seg>Ja</seg></tuv></tu>
</body></tmx>
"""
ANDROID = """<?xml version="1.0" encoding="utf-8"?>
<resources xmlns:xliff="urn:x">
    <!-- greeting -->
    <string name="a">Don\\'t <b>worry</b>, <xliff:g id="n">%1$s</xliff:g>!</string>
    <string name="b" translatable="false">fixed</string>
    <string name="ref">@string/a</string>
    <plurals name="p"><item quantity="one">%d file</item><item quantity="other">%d files</item>
    </plurals>
    <string-array name="arr"><item>First one</item></string-array>
</resources>
"""
STRINGS = """/* Title of
   the window */
"title" = "Hello \\"World\\"\\n";
// another
key.two = "Save %@ files";
"""
PROPERTIES = """# Greeting
hello=Hello, {0}!
several = one \\
   two \\
   three
other=\\u00fcber \\ud83d\\ude00 all
empty=
path.x:Open file
! note
  spaced  a value
"""
JSON = """{
  "title": "Open a file",
  "nested": {"list": ["First thing", 3, null, "second \\"thing\\""], "url": "https://example.org"},
  "id": "open_file"
}
"""
YAML = """# comment
en:
  title: Open a file   # why
  quoted: "Say \\"yes\\""
  single: 'it''s here'
  block: |
    First line
    second line

  folded: >-
    A long text that is
    folded in two lines
  count: 3
"""
HTML = """<!DOCTYPE html>
<html><head><title>A page</title><script>var a = "text here";</script></head>
<body class=x>
  <h1>A &amp; B</h1>
  <p>Some <b>bold</b> text,<br>
     with <code>code()</code> and <a href="x">a link</a>.</p>
  <div title="A hint">Loose text<p>inner</div>
  <p translate="no">Stays here</p>
</body></html>
"""
MARKDOWN = """---
title: x
---
# A *big* title

A paragraph with **bold text**, a [link to it](http://x.y/z) and `code here`
that goes on in the second line.

* item one
* item two
  goes on

> quoted text

```
code block
```

| Name | What |
|------|------|
| Cell one | cell two |

    indented code

[ref]: http://x
"""
SRT = (
    "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>Where are</i> you\r\ngoing tonight?\r\n\r\n"
    "2\r\n00:00:03,000 --> 00:00:04,000\r\nHome.\r\n"
)
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
DOCX_PART = f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:document xmlns:w="{_WORD}"><w:body>
<w:p><w:pPr><w:jc w:val="left"/></w:pPr><w:r><w:t>Some </w:t></w:r><w:r><w:rPr><w:b/></w:rPr>\
<w:t>bold</w:t></w:r><w:r><w:t xml:space="preserve"> text</w:t></w:r><w:r><w:tab/></w:r>\
<w:r><w:t>and more</w:t></w:r></w:p>
<w:p/><w:p><w:r><w:t>Second paragraph</w:t></w:r></w:p>
</w:body></w:document>
"""
ODT_PART = """<?xml version="1.0" encoding="UTF-8"?>
<office:document-content xmlns:office="urn:o" xmlns:text="urn:t"><office:body><office:text>
<text:h>A title</text:h><text:p>Some <text:span text:style-name="T1">bold</text:span> text\
<text:tab/>more</text:p><text:p/>
</office:text></office:body></office:document-content>
"""


def archive(parts: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            file.writestr(name, text)
    return out.getvalue()


def documents() -> dict[str, bytes]:
    """One file of each kind, by its name."""
    texts = {
        "a.po": PO,
        "one.xlf": XLIFF_1,
        "two.xlf": XLIFF_2,
        "m.tmx": TMX,
        "strings.xml": ANDROID,
        "a.strings": STRINGS,
        "a.properties": PROPERTIES,
        "a.json": JSON,
        "en.yml": YAML,
        "a.html": HTML,
        "a.md": MARKDOWN,
        "a.srt": SRT,
    }
    made = {name: text.encode() for name, text in texts.items()}
    made["utf16.strings"] = STRINGS.encode("utf-16")
    made["a.docx"] = archive({"word/document.xml": DOCX_PART, "word/styles.xml": "<x/>"})
    made["a.odt"] = archive({"META-INF/manifest.xml": "<x/>", "content.xml": ODT_PART})
    return made
