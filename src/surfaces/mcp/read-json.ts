/** Deeper than this no honest message is, and recursive code would run out of stack. */
const MAX_DEPTH = 64

export type ReadJson = { value: unknown } | { problem: 'syntax' | 'depth' | 'duplicate' | 'prototype'; detail: string }

/**
 * JSON whose depth is bounded before anything walks it, and in which no key stands twice or is __proto__: two readers of such a
 * message could see two different calls.
 */
export function readJson(text: string): ReadJson {
  const problem = structureProblem(text)
  if (problem) return problem
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return { problem: 'syntax', detail: 'the body is not JSON' }
  }
}

const QUOTE = 34
const BACKSLASH = 92
const COLON = 58

/** One pass over the text. Where it is not JSON the answer does not matter: JSON.parse refuses it afterwards. */
function structureProblem(text: string): ReadJson | null {
  const keys: (Set<string> | null)[] = []
  let lastText = ''
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE: {
        const end = endOfText(text, i)
        lastText = text.slice(i, end + 1)
        i = end
        break
      }
      case COLON: {
        const seen = keys.at(-1)
        if (!seen) break
        const key = lastText.includes('\\') ? unescaped(lastText) : lastText
        if (seen.has(key)) return { problem: 'duplicate', detail: 'a key stands twice in one object' }
        if (key === '"__proto__"') return { problem: 'prototype', detail: 'a key is named __proto__' }
        seen.add(key)
        break
      }
      case 123: // {
        keys.push(new Set())
        if (keys.length > MAX_DEPTH) return tooDeep
        break
      case 91: // [
        keys.push(null)
        if (keys.length > MAX_DEPTH) return tooDeep
        break
      case 125: // }
      case 93: // ]
        keys.pop()
        break
    }
  }
  return null
}

const tooDeep: ReadJson = { problem: 'depth', detail: `the body is nested deeper than ${MAX_DEPTH}` }

function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}

function unescaped(quoted: string): string {
  try {
    return `"${JSON.parse(quoted) as string}"`
  } catch {
    return quoted
  }
}
