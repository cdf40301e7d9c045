import { inflateSync } from 'node:zlib'

/** The text of a PDF that the product wrote, one line per text run, decoded with the glyph maps embedded in the file. */
export function readPdfText(pdf: Buffer): string {
  const objects = objectsOf(pdf)
  const maps = new Map<string, Map<string, string>>()
  for (const { head } of objects.values()) {
    for (const [, name, id] of head.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const letters = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id!)?.head ?? '')?.[1]
      if (letters) maps.set(name!, lettersOf(objects.get(letters)!.body()))
    }
  }
  const lines: string[] = []
  for (const { head, body } of objects.values()) {
    if (/\/(?:Type|FontFile|Length1|FunctionType)\b/.test(head) || !head.includes('/Length')) continue
    let font = ''
    for (const [, name, pieces] of body().matchAll(/\/(F\d+) [\d.]+ Tf|\[([<>0-9a-f\s.-]*)\] TJ/g)) {
      if (name) font = name
      else lines.push([...pieces!.matchAll(/<([0-9a-f]*)>/g)].map(([, hex]) => decoded(hex!, maps.get(font))).join(''))
    }
  }
  return lines.join('\n')
}

const decoded = (hex: string, letters?: Map<string, string>) =>
  (hex.match(/.{4}/g) ?? []).map((glyph) => letters?.get(glyph) ?? '?').join('')

function objectsOf(pdf: Buffer): Map<string, { head: string; body: () => string }> {
  const text = pdf.toString('latin1')
  return new Map(
    [...text.matchAll(/^(\d+) 0 obj\n([\s\S]*?)\nendobj/gm)].map(([, id, content]) => {
      const start = content!.indexOf('stream\n')
      const head = start < 0 ? content! : content!.slice(0, start)
      const stream = () => Buffer.from(content!.slice(start + 7, content!.lastIndexOf('\nendstream')), 'latin1')
      return [id!, { head, body: () => (head.includes('FlateDecode') ? inflateSync(stream()) : stream()).toString('latin1') }]
    }),
  )
}

/** Parses a glyph map such as `<0001> <0004> [<0041> <0042> …]`. */
function lettersOf(map: string): Map<string, string> {
  const letters = new Map<string, string>()
  for (const [, from, list] of map.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/g)) {
    let glyph = Number.parseInt(from!, 16)
    // Glyphs of accents that are part of a letter have no text.
    for (const [, hex] of list!.matchAll(/<([0-9a-f ]*)>/g))
      letters.set(
        (glyph++).toString(16).padStart(4, '0'),
        String.fromCharCode(...(hex!.match(/[0-9a-f]{4}/g) ?? []).map((unit) => Number.parseInt(unit, 16))),
      )
  }
  return letters
}
