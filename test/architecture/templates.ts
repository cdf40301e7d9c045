export interface Template {
  /** The template's text with each interpolation replaced by `${}`, so that nested templates are listed on their own. */
  literal: string
  /** The source of each interpolation. */
  interpolations: readonly string[]
  /** The tag and its position, for example `sql` of sql`…`; empty for untagged templates. */
  tag: string
  start: number
  /** The position after the closing backtick. */
  end: number
}

/** Removes comments from source text. Later positions change, because nothing takes the place of the comments. */
export const stripComments = (text: string): string => text.replace(/\/\*[^]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')

/** Lists all template literals of a source without comments, including templates inside of interpolations. */
export function listTemplates(code: string): Template[] {
  const found: Template[] = []
  readCode(code, 0, found)
  return found.toSorted((a, b) => a.start - b.start)
}

/** Reads code until the closing brace of a template interpolation, or to the end. Returns the position after it. */
function readCode(code: string, start: number, found: Template[]): number {
  let depth = 0
  for (let at = start; at < code.length; at++) {
    const character = code[at]!
    if (character === "'" || character === '"') at = skipQuoted(code, at)
    else if (character === '/' && /(?:^|[=(,:[!&|?{};>\n]|\breturn)\s*$/.test(code.slice(Math.max(0, at - 20), at)))
      at = skipRegex(code, at)
    else if (character === '`') at = readTemplate(code, at, found) - 1
    else if (character === '{') depth++
    else if (character === '}' && depth-- === 0) return at + 1
  }
  return code.length
}

function readTemplate(code: string, open: number, found: Template[]): number {
  const interpolations: string[] = []
  let literal = ''
  let at = open + 1
  while (at < code.length && code[at] !== '`') {
    if (code[at] === '\\') {
      literal += code.slice(at, at + 2)
      at += 2
    } else if (code.startsWith('${', at)) {
      const end = readCode(code, at + 2, found)
      interpolations.push(code.slice(at + 2, end - 1))
      literal += '${}'
      at = end
    } else literal += code[at++]
  }
  const tag = /(\w+)(?:<[^`;]*>)?$/.exec(code.slice(Math.max(0, open - 300), open))?.[1] ?? ''
  found.push({ literal, interpolations, tag, start: open, end: at + 1 })
  return at + 1
}

/** Returns the position of the closing quote of a string. JSX text may contain an apostrophe, so a line break also ends the string. */
function skipQuoted(code: string, open: number): number {
  for (let at = open + 1; at < code.length; at++) {
    if (code[at] === '\\') at++
    else if (code[at] === code[open]) return at
    else if (code[at] === '\n') return open
  }
  return open
}

function skipRegex(code: string, open: number): number {
  let inClass = false
  for (let at = open + 1; at < code.length && code[at] !== '\n'; at++) {
    if (code[at] === '\\') at++
    else if (code[at] === '[') inClass = true
    else if (code[at] === ']') inClass = false
    else if (code[at] === '/' && !inClass) return at
  }
  return open
}
